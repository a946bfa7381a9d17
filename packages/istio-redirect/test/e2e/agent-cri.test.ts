import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  containerdWith,
  containerdWithout,
  rawListener,
  standInRuntime,
  statusResponse,
} from '../../../installer/test/stand-in-runtime.ts'
import { AGENT, AGENT_BUNDLE, type AgentNode, type AgentProcess, agentNode, eventually } from './agent-node.ts'

const LOAD_ERROR = 'cni config load failed: failed to load CNI config file /etc/cni/net.d/05-broken.conf'
const LOADED = statusResponse(containerdWith(['calico', 'istio-cni']))
const WITHOUT = statusResponse(containerdWithout(LOAD_ERROR))

let node: AgentNode
let socket: string
beforeEach(() => {
  node = agentNode()
  socket = node.path('runtime.sock')
})
afterEach(() => node[Symbol.asyncDispose]())

describe.each([
  ['compiled', [AGENT]],
  ['bundle on Node', [process.execPath, AGENT_BUNDLE]],
] as const)('install-cni that may ask the container runtime (%s)', (_, [file, ...argv]) => {
  const statusOfRuntime = async () => {
    const { exitCode, stdout } = await node.run(file, ...argv, 'status', '--json', `--cri-socket=${socket}`)
    const { checks } = JSON.parse(stdout)
    return { exitCode, check: checks.find(({ name }: { name: string }) => name === 'runtime') }
  }
  const start = (): Promise<AgentProcess> =>
    node.start({ file: [file, ...argv], env: { CRI_SOCKET: socket, MONITORING_PORT: '0' } })
  const untilReady = (agent: AgentProcess) =>
    eventually(
      () => agent.ready(),
      () => `readiness: ${agent.log()}`,
    )

  test('status says what the runtime says', async () => {
    let answer = LOADED
    await using _runtime = await standInRuntime(socket, (done) => done(null, answer))
    expect((await statusOfRuntime()).check).toEqual({
      name: 'runtime',
      state: 'ok',
      subject: socket,
      detail: 'containerd runs the plugin in network "pods"',
    })
    answer = WITHOUT
    expect(await statusOfRuntime()).toMatchObject({
      exitCode: 1,
      check: {
        state: 'fail',
        detail: expect.stringMatching(/^containerd runs without it: .*05-broken\.conf$/),
      },
    })
    await untilReady(await start())
    expect((await statusOfRuntime()).check).toMatchObject({
      state: 'fail',
      detail: expect.stringMatching(/^installed, but containerd runs without it: .*05-broken\.conf$/),
      next: expect.stringContaining('--mounted-cni-net-dir'),
    })
  })

  test.each<readonly [string, () => Promise<AsyncDisposable>, string]>([
    ['hangs', () => rawListener(socket, () => {}), 'it gives no answer in time'],
    [
      'speaks another protocol',
      () => rawListener(socket, (talk) => talk.write('HTTP/1.1 200 OK\r\n\r\n')),
      'no connection: ',
    ],
    [
      'sends 2 MiB',
      () => standInRuntime(socket, (done) => done(null, Buffer.alloc(2 ** 21))),
      'it answers more than 1048576 bytes',
    ],
    ['lies', () => standInRuntime(socket, (done) => done(null, Buffer.from('nonsense'))), 'it gives no answer of a'],
  ])('status warns of a socket that %s', async (_name, listen, detail) => {
    await using _listener = await listen()
    expect((await statusOfRuntime()).check).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining(`it cannot be asked: ${detail}`),
    })
  })

  test('the agent is not ready while the runtime is without the plugin, and ready again once it has it', async () => {
    let answer = WITHOUT
    await using _runtime = await standInRuntime(socket, (done) => done(null, answer))
    const agent = await start()
    await untilReady(agent)
    const why = async () => (await agent.get('/readyz?verbose')).body
    await eventually(async () => (await why()).includes('05-broken.conf'), agent.log, 20_000)
    expect(await why()).toContain('runtime: installed, but containerd runs without it: its network is not ready')
    answer = LOADED
    await untilReady(agent)
    await eventually(() => agent.log().includes('the container runtime runs the plugin again'), agent.log)
  }, 60_000)

  test('a socket that hangs is a warning: the agent stays ready, keeps no connection, and ends at once', async () => {
    await using listener = await rawListener(socket, () => {})
    const agent = await start()
    await untilReady(agent)
    await eventually(() => agent.log().includes(`the container runtime at ${socket} cannot be asked`), agent.log)
    expect(await agent.ready()).toBe(true)
    await eventually(() => listener.open() === 0, 'the end of the connection')
    agent.kill('SIGTERM')
    expect(await agent.exit).toEqual({ code: 0, signal: null })
    expect(agent.log()).not.toContain('internal error')
  })
})
