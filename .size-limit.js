/** What a compiled plugin pays for what it imports: minified, with our own packages and without zod; 10 kB are DEBUG's, evaluated only when it is set. */
const limit = (name, path, imported, size, external = []) => ({
  name,
  path,
  import: imported,
  limit: size,
  gzip: false,
  brotli: false,
  modifyEsbuildConfig: (config) => ({
    ...config,
    platform: 'node',
    format: 'esm',
    // As cni-build does: what only Node needs is left out.
    define: { 'process.versions.bun': '"1"' },
    external: ['koffi', 'bun:ffi', 'node:ffi', 'zod', ...external],
  }),
})

const BESIDE_NETNS = ['@cni/netns', '@cni/host', '@cni/types']

// biome-ignore lint/style/noDefaultExport: size-limit reads the default export.
export default [
  limit('@cni/types: an error', 'packages/types/dist/index.js', '{ CniError }', '3 kB'),
  limit('@cni/skel: a plugin', 'packages/skel/dist/index.js', '{ definePlugin, netConf, pluginMain }', '96.6 kB'),
  limit('@cni/iptables: a ruleset', 'packages/iptables/dist/index.js', '{ ruleset }', '31.8 kB'),
  limit('@cni/iptables/rules: a ruleset as text', 'packages/iptables/dist/rules.js', '{ restoreText }', '10.1 kB'),
  limit('@cni/iptables: apply it', 'packages/iptables/dist/index.js', '{ ruleset, iptables }', '193.1 kB'),
  // By itself: whoever uses it has the namespaces and their netlink already.
  limit('@cni/nftables/wire', 'packages/nftables/dist/wire.js', '{ Batch, openNft }', '23.5 kB', BESIDE_NETNS),
  limit('@cni/nftables/rules: a ruleset', 'packages/nftables/dist/rules.js', '{ nftRuleset }', '28.9 kB', BESIDE_NETNS),
  limit(
    '@cni/nftables: apply it',
    ['packages/nftables/dist/index.js', 'packages/nftables/dist/rules.js'],
    { 'packages/nftables/dist/index.js': '{ nftables }', 'packages/nftables/dist/rules.js': '{ nftRuleset }' },
    '118.9 kB',
    BESIDE_NETNS,
  ),
  limit('@cni/ebpf: a pinned program', 'packages/ebpf/dist/index.js', '{ attachFilter, ebpf }', '20 kB', BESIDE_NETNS),
  limit('@cni/libcni: a runtime', 'packages/libcni/dist/index.js', '{ cni, loadConflist }', '65.7 kB'),
]
