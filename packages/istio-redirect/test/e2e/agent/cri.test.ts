import { describe, expect, test } from 'vitest'
import {
  containerdWith,
  containerdWithout,
  rawListener,
  standInRuntime,
  statusResponse,
} from '../../../../installer/test/stand-in-runtime.ts'
import { AGENTS, type AgentProcess, agentNode, eventually } from '../../stage/agent-node.ts'

const LOAD_ERROR = 'cni config load failed: failed to load CNI config file /etc/cni/net.d/05-broken.conf'
const LOADED = statusResponse(containerdWith(['calico', 'istio-cni']))
const WITHOUT = statusResponse(containerdWithout(LOAD_ERROR))

/** A node with a path for the socket of its container runtime. */
function nodeWith([file, ...argv]: readonly [string, ...string[]]) {
  const node = agentNode()
  const socket = node.path('runtime.sock')
  return {
    socket,
    async statusOfRuntime() {
      const { exitCode, stdout } = await node.run(file, ...argv, 'status', '--json', `--cri-socket=${socket}`)
      const { checks } = JSON.parse(stdout)
      return { exitCode, check: checks.find(({ name }: { name: string }) => name === 'runtime') }
    },
    start: () => node.start({ file: [file, ...argv], env: { CRI_SOCKET: socket, MONITORING_PORT: '0' } }),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

const untilReady = (agent: AgentProcess) =>
  eventually(
    () => agent.ready(),
    () => `readiness: ${agent.log()}`,
  )

// Concurrent: these tests wait for the agent's requests to the runtime, and for runtimes that do not answer.
describe.concurrent.each(AGENTS)('install-cni that may ask the container runtime (%s)', (_, argv) => {
  test('status has the runtime’s report', async () => {
    await using on = nodeWith(argv)
    let answer = LOADED
    await using _runtime = await standInRuntime(on.socket, (done) => done(null, answer))
    expect((await on.statusOfRuntime()).check).toEqual({
      name: 'runtime',
      state: 'ok',
      subject: on.socket,
      detail: 'containerd runs the plugin in network "pods"',
    })
    answer = WITHOUT
    expect(await on.statusOfRuntime()).toMatchObject({
      exitCode: 1,
      check: {
        state: 'fail',
        detail: expect.stringMatching(/^containerd runs without it: .*05-broken\.conf$/),
      },
    })
    await untilReady(await on.start())
    expect((await on.statusOfRuntime()).check).toMatchObject({
      state: 'fail',
      detail: expect.stringMatching(/^installed, but containerd runs without it: .*05-broken\.conf$/),
      next: expect.stringContaining('--mounted-cni-net-dir'),
    })
  })

  test.each<readonly [string, (socket: string) => Promise<AsyncDisposable>, string]>([
    ['hangs', (socket) => rawListener(socket, () => {}), 'it gives no answer in time'],
    [
      'speaks another protocol',
      (socket) => rawListener(socket, (talk) => talk.write('HTTP/1.1 200 OK\r\n\r\n')),
      'no connection: ',
    ],
    [
      'sends 2 MiB',
      (socket) => standInRuntime(socket, (done) => done(null, Buffer.alloc(2 ** 21))),
      'it answers more than 1048576 bytes',
    ],
    [
      'lies',
      (socket) => standInRuntime(socket, (done) => done(null, Buffer.from('nonsense'))),
      'it gives no answer of a',
    ],
  ])('status warns of a socket that %s', async (_name, listen, detail) => {
    await using on = nodeWith(argv)
    await using _listener = await listen(on.socket)
    expect((await on.statusOfRuntime()).check).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining(`the query failed: ${detail}`),
    })
  })

  test('the agent is not ready while the runtime lacks the plugin, and ready once the runtime has it', async () => {
    await using on = nodeWith(argv)
    let answer = WITHOUT
    await using _runtime = await standInRuntime(on.socket, (done) => done(null, answer))
    const agent = await on.start()
    await untilReady(agent)
    const why = async () => (await agent.get('/readyz?verbose')).body
    await eventually(async () => (await why()).includes('05-broken.conf'), agent.log, 20_000)
    expect(await why()).toContain('runtime: installed, but containerd runs without it: its network is not ready')
    answer = LOADED
    await untilReady(agent)
    await eventually(() => agent.log().includes('the container runtime runs the plugin again'), agent.log)
  }, 60_000)

  test('a socket that hangs is a warning: the agent stays ready, keeps no connection, and ends at once', async () => {
    await using on = nodeWith(argv)
    await using listener = await rawListener(on.socket, () => {})
    const agent = await on.start()
    await untilReady(agent)
    await eventually(() => agent.log().includes(`cannot query the container runtime at ${on.socket}`), agent.log)
    expect(await agent.ready()).toBe(true)
    await eventually(() => listener.open() === 0, 'the end of the connection')
    agent.kill('SIGTERM')
    expect(await agent.exit).toEqual({ code: 0, signal: null })
    expect(agent.log()).not.toContain('internal error')
  })
})
