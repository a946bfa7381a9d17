import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import type { Browser } from 'playwright-core'
import { runTools } from '../../../../packages/istio-redirect/src/tools/run-tools.ts'
import { podCase } from '../../../../packages/istio-rules/test/random-pod.ts'
import { expectSame, openPlayground } from './open.ts'

const COUNT = 200

const packets = fc.constantFrom(
  'tcp 10.96.0.20:80 uid 1000',
  'tcp 10.0.0.5:443 uid 1337',
  'udp 10.96.0.10:53 uid 1000',
  'tcp 127.0.0.1:8080 uid 1000',
  'tcp 10.1.2.3:15020 from 10.9.9.9:40000 in eth0',
  'tcp 10.1.2.3:8080 from 10.9.9.9:40000 in eth0 local 10.1.2.3',
  'tcp [fd00::20]:80 uid 1000',
  'tcp [2001:db8::77]:8080 from [fd00::9]:40000 in eth0',
)

interface Found {
  readonly why: string
  readonly rules: string
  readonly trace: string
}

/** Compares the playground page with the command `istio-redirect` for random pods and packets. */
export async function compareWithCommand(browser: Browser, file: string) {
  const { page, done } = await openPlayground(browser, pathToFileURL(file).href)
  const cases = fc.sample(fc.tuple(podCase, packets, fc.constantFrom('iptables', 'nftables')), {
    seed: 7,
    numRuns: COUNT,
  })
  const counts = new Map<string, number>()
  for (const [{ pod, addresses }, packet, backend] of cases) {
    const status = { podIPs: addresses.map((address) => ({ ip: address.replace(/\/.*/, '') })) }
    const text = JSON.stringify({ ...pod, status })
    const native = backend === 'nftables'
    const wanted = await byCommand(text, packet, native)
    const found = await page.evaluate<Found>(`(${askPage})(${JSON.stringify({ text, packet, backend })})`)
    const what = `${packet}, ${backend}, ${text}`
    expectSame(what, found, wanted)
    const kind = wanted.rules === '' ? (wanted.trace === '' ? 'refused or skipped' : 'no rules') : 'captured'
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  await done()
  return { note: `${COUNT} pods: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}` }
}

// internal

/** Rules and trace that the command `istio-redirect` prints for a pod and a packet. */
async function byCommand(text: string, packet: string, native: boolean): Promise<Found> {
  const flags = ['--pod', '-', ...(native ? ['--native-nftables'] : [])]
  const rules = await run(['rules', ...flags], text)
  const pod = /^(\S+) gets no rules: (.*)$/m.exec(rules.stderr)
  if (pod !== null) return { why: pod[2] ?? '', rules: '', trace: '' }
  const failed = /^istio-redirect rules: (.*)$/m.exec(rules.stderr)
  if (rules.code !== 0) return { why: failed?.[1] ?? rules.stderr, rules: '', trace: '' }
  const trace = await run(['trace', ...flags, '--packet', packet], text)
  return { why: '', rules: rules.stdout, trace: trace.stdout }
}

async function run(argv: readonly string[], stdin: string) {
  let stdout = ''
  let stderr = ''
  const code = await runTools('istio-redirect', argv, {
    env: {},
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
    colour: false,
    signal: new AbortController().signal,
    now: () => new Date(0),
    system: { readFile: () => stdin, writeFile: () => undefined, addresses: async () => [] },
  })
  return { code, stdout, stderr }
}

/** Code that runs in the browser. It is a string, because this program lacks browser types. */
const askPage = `async ({ text, packet, backend }) => {
  const panel = document.getElementById('panel-pod')
  const answered = () => Number(panel.dataset.answers ?? 0)
  const put = (id, value) => {
    const field = document.getElementById(id)
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const before = answered()
  document.querySelector('[name=backend][value=' + backend + ']').checked = true
  put('packet-text', packet)
  put('pod-text', text)
  document.querySelector('[name=backend][value=' + backend + ']').dispatchEvent(new Event('change', { bubbles: true }))
  while (answered() === before || panel.getAttribute('aria-busy') === 'true') await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 150))
  while (panel.getAttribute('aria-busy') === 'true') await new Promise((resolve) => setTimeout(resolve, 5))
  const of = (selector) => document.querySelector(selector)?.textContent ?? ''
  const isCaptured = document.querySelector('.decision-captured') !== null
  const list = backend === 'nftables' ? '#lines-nft' : '#lines-istio-ipv4'
  const lines = [...document.querySelectorAll(list + ' .line-text')].map(({ textContent }) => textContent + '\\n')
  return { why: isCaptured ? '' : of('#why'), rules: isCaptured ? lines.join('') : '', trace: isCaptured ? of('#walk-text pre') || of('#walk .problem') : '' }
}`
