// npm run demo [-- --json --keep --clean --without-iptables --ambient[=node-iptables|node-ebpf] --no-install]: shows
// how the plugin redirects a pod on a throw-away node.
import { NODE_FLAGS } from '../test/node.ts'
import { ensurePackages } from './lib/debian.ts'
import { exec, node26 } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { main, Stop } from './lib/progress.ts'

const demo = 'examples/istio-redirect/demo/main.ts'

await main(async () => {
  const options = process.argv.slice(2)
  if (!options.includes('--help') && !options.includes('-h')) {
    if (process.getuid?.() !== 0) {
      throw new Stop('the demo needs root: it creates network namespaces and iptables rules. Run: sudo npm run demo')
    }
    const install = !options.includes('--no-install')
    if (options.includes('--ambient')) await ensurePackages(['util-linux'], { install })
    else if (options.some((one) => one.startsWith('--ambient='))) {
      await ensurePackages(['iptables', 'ipset', 'util-linux'], { install })
    } else {
      const iptables = options.includes('--without-iptables') ? [] : (['iptables'] as const)
      await ensurePackages(['containernetworking-plugins', ...iptables, 'util-linux'], { install })
      await buildExecutables(['istio-cni'])
    }
  }
  await exec([node26, ...NODE_FLAGS, '--disable-warning=ExperimentalWarning', demo, ...options], {
    stdout: 'inherit',
    explains: true,
  })
})
