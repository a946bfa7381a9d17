import { VERSION } from '@cni/host/cli'
import type { Kind, ProjectOptions, Rules } from './options.ts'

const OF_RULES: Readonly<Record<Rules, readonly string[]>> = {
  iptables: ['@cni/iptables'],
  nftables: ['@cni/nftables'],
  routes: ['@cni/netns', '@cni/types'],
}
const OF_KIND: Readonly<Record<Kind, readonly string[]>> = {
  chained: [],
  main: ['@cni/invoke', '@cni/netns', '@cni/types'],
  thick: ['@cni/types'],
  ipam: ['@cni/netns', '@cni/types'],
}
/** npm packages that the new project's tests and build need. Older Node.js needs koffi to enter namespaces. */
const FOR_DEVELOPMENT = ['@cni/build', '@cni/conformance', '@cni/libcni', '@cni/netns']
const OF_OTHERS = { '@types/node': '^24.0.0', koffi: '^3.3.0', typescript: '^7.0.0', vitest: '^4.0.0' }

/** Dependencies of a new project. npm needs `overrides` for indirect dependencies from `tarballs`. */
export function dependenciesOf(
  { kind, rules, agent }: ProjectOptions,
  tarballs: Readonly<Record<string, string>>,
): {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  overrides: Record<string, string> | undefined
} {
  const version = (name: string) => tarballs[name] ?? `^${VERSION}`
  const shipped = new Set([
    '@cni/skel',
    ...(rules === undefined ? [] : OF_RULES[rules]),
    ...OF_KIND[kind],
    ...(agent ? ['@cni/installer'] : []),
  ])
  const development = [...FOR_DEVELOPMENT, ...(kind === 'ipam' ? ['@cni/invoke'] : [])].filter(
    (name) => !shipped.has(name),
  )
  return {
    dependencies: sorted({ ...versions([...shipped], version), zod: '^4.0.0' }),
    devDependencies: sorted({ ...versions(development, version), ...OF_OTHERS }),
    overrides: Object.keys(tarballs).length === 0 ? undefined : sorted(tarballs),
  }
}

const versions = (names: readonly string[], version: (name: string) => string) =>
  Object.fromEntries(names.map((name) => [name, version(name)]))

const sorted = (record: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
