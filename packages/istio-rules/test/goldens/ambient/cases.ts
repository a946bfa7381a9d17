import { readFileSync } from 'node:fs'
import { defaultProbeSource, type PodCapture } from '../../../src/ambient/pod-rules.ts'

/** What the original captures without a word of the pod's. */
export const everything: PodCapture = {
  ipv6: true,
  dnsCapture: true,
  bypassInbound: false,
  virtualInterfaces: [],
  probeSource: defaultProbeSource,
}

/** Captures, and under the same names beside this file what the kernel lists after the original wrote their rules. */
export const captures: readonly { readonly name: string; readonly capture: PodCapture }[] = [
  { name: 'default', capture: everything },
  { name: 'no-dns', capture: { ...everything, dnsCapture: false } },
  { name: 'bypass', capture: { ...everything, bypassInbound: true } },
  { name: 'bypass-no-dns', capture: { ...everything, bypassInbound: true, dnsCapture: false } },
  { name: 'virtual', capture: { ...everything, virtualInterfaces: ['virt0', 'virt1'] } },
  { name: 'virtual-bypass', capture: { ...everything, bypassInbound: true, virtualInterfaces: ['virt0'] } },
]

/** What `iptables-save` or `ip6tables-save` prints in the pod, table by table in alphabetical order. */
export const listing = (name: string, family: 'ipv4' | 'ipv6'): string =>
  readFileSync(new URL(`${name}.${family}.txt`, import.meta.url), 'utf8')

/** What `nft list ruleset` prints in the pod when the rules are native. */
export const nativeListing = (name: string): string => readFileSync(new URL(`${name}.nft.txt`, import.meta.url), 'utf8')

/** Captures that are listed as native rules. */
export const nativeCaptures: typeof captures = [
  ...captures,
  { name: 'no-ipv6', capture: { ...everything, ipv6: false } },
]
