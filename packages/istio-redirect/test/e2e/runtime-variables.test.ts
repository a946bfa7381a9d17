import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { expect, onTestFinished, test } from 'vitest'
import { agentNode, eventually } from '../stage/agent-node.ts'
import { COMPILED } from '../stage/executables.ts'

const TOOLS = fileURLToPath(new URL('../../../../dist/bin/istio-redirect', import.meta.url))

const readProc = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1')
/** True if the process has restarted itself, and is past its restart. */
const isStartedAnew = (pid: number): boolean => readProc(pid, 'environ').includes('CNI_BUILD_STARTED_ANEW=')
/** The sockets on which a process listens. */
function listening(pid: number): string[] {
  const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  const rows = ['tcp', 'tcp6'].flatMap((name) => readProc(pid, `net/${name}`).trim().split('\n').slice(1))
  const LISTEN = '0A'
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && fds.includes(`socket:[${inode}]`))
    .map(([, local = '']) => local)
}

test('the plugin ignores variables of its JavaScript runtime, and does not restart without them', async () => {
  const env = {
    CNI_COMMAND: 'DEL',
    CNI_CONTAINERID: 'c1',
    CNI_IFNAME: 'eth0',
    CNI_PATH: '/',
    BUN_INSPECT: '127.0.0.1:0',
    BUN_OPTIONS: '--version',
    NODE_OPTIONS: '--inspect',
  }
  const plugin = spawn(COMPILED, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const { pid = 0 } = plugin
  onTestFinished(() => void plugin.kill('SIGKILL'))
  // The plugin installs its signal handlers first. A debugger would already be there.
  await eventually(() => isAwaited(pid, 15), 'the plugin to read its stdin')
  expect(listening(pid)).toEqual([])
  expect(readProc(pid, 'environ')).toContain('BUN_INSPECT')
  plugin.stdin.end(JSON.stringify({ cniVersion: '1.0.0', name: 'net', type: 'istio-cni' }))
  expect(await once(plugin, 'close')).toEqual([0, null])
})

/** True if the process waits for a signal: the small runtime blocks signals and reads them from a descriptor. */
function isAwaited(pid: number, signal: number): boolean {
  const blocked = /^SigBlk:\s*(\w+)$/m.exec(readProc(pid, 'status'))?.[1] ?? '0'
  return (BigInt(`0x${blocked}`) & (1n << BigInt(signal - 1))) !== 0n
}

test('the name of the tools’ executable selects the command', async () => {
  const script = 'exec -a /usr/local/bin/istio-iptables "$0" --help'
  const [without, anew] = await Promise.all(
    [{}, { BUN_INSPECT: '127.0.0.1:0' }].map((env) => run(['bash', '-c', script, TOOLS], { env })),
  )
  expect(without?.stdout).toContain('--run-validation')
  expect(anew).toMatchObject({ exitCode: 0, stdout: without?.stdout, stderr: '' })
})

test('the agent listens on its own ports only, and stops in time', async () => {
  await using node = agentNode()
  const agent = await node.start({ env: { BUN_INSPECT: '127.0.0.1:0' } })
  const { length } = listening(agent.pid)
  const other = await node.start()
  expect(length).toBe(listening(other.pid).length)
  expect(isStartedAnew(agent.pid)).toBe(true)
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
})
