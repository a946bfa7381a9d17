import { testPlugin } from '@cni/skel/testing'
import { plugin } from '../src/plugin.ts'

// Runs parallel ADDs of the IPAM plugin and prints the leased addresses.
const [, , folder, first = '0', count = '0'] = process.argv
const ipam = { type: 'node-ipam', ranges: [{ subnet: '10.88.0.0/24' }, { subnet: 'fd88::/64' }] }
const tester = testPlugin(plugin(folder), { conf: { name: 'pods', ipam } })
const adds = Array.from({ length: Number(count) }, (_, i) => tester.add({ containerID: `pod${Number(first) + i}` }))
const outcomes = await Promise.all(adds)
const found = outcomes.map(({ result, error }) => result?.ips?.map(({ address }) => address) ?? [error?.msg])
process.stdout.write(JSON.stringify(found.flat()))
