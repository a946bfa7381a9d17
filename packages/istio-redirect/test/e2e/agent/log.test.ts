import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  AGENT,
  AGENT_BUNDLE,
  agentNode,
  ask,
  calico,
  entryOf,
  eventually,
  freePort,
  withEntry,
} from '../../stage/agent-node.ts'

const conflist = 'net/10-calico.conflist'

test('lines of the plugin appear once each, with their own time; garbage and floods do no harm', async () => {
  await using node = agentNode()
  const agent = await node.start({ argv: ['--log_output_level=cni-plugin:debug'] })
  const socketPath = node.path('run/log.sock')
  expect([statSync(socketPath).mode & 0o777, statSync(node.path('run')).mode & 0o022]).toEqual([0o666, 0])
  const post = (body: string, path = '/log') => ask({ socketPath, path, method: 'POST', body })
  const line = (level: string, msg: string, more: object = {}) =>
    JSON.stringify({ level, time: '2026-01-02T03:04:05.123456789+01:00', msg, ...more })
  const lines = [
    line('debug', 'one'),
    line('info', 'two'),
    line('warn', 'three\nforged'),
    line('error', ' four '),
    line('info', 'five', { key: 2 }),
    line('fatal', 'never'),
    '{"level":"info","msg":"no time"}',
    'no json',
  ]
  expect(await post(JSON.stringify(lines))).toMatchObject({ status: 200, body: '' })
  for (const body of ['', '{', '[1]', '["{}", 2]', 'null', '['.repeat(100_000)])
    expect((await post(body)).status).toBe(200)
  expect((await post('[]', '/other')).status).toBe(404)
  for (const path of ['//', '//[', 'http://[/log', '*', '/%zz']) expect((await post('[]', path)).status).not.toBe(500)
  await post(`["${'x'.repeat(3_000_000)}"]`).catch(() => 'cut off')
  expect((await post(JSON.stringify([line('info', 'still here')]))).status).toBe(200)
  await eventually(() => agent.log().includes('still here'), 'the last line')
  const time = '2026-01-02T02:04:05.123456Z'
  expect(
    agent
      .log()
      .split('\n')
      .filter((one) => one.includes('\tcni-plugin\t')),
  ).toEqual([
    `${time}\tdebug\tcni-plugin\tone`,
    `${time}\tinfo\tcni-plugin\ttwo`,
    `${time}\twarn\tcni-plugin\tthree\\nforged`,
    `${time}\terror\tcni-plugin\tfour`,
    `${time}\tinfo\tcni-plugin\tfive\tkey=2`,
    `${time}\tinfo\tcni-plugin\tstill here`,
  ])
})

test('the log is JSON for programs, short at a terminal, and text on request', async () => {
  await using node = agentNode()
  const text = await node.start()
  expect(text.log()).toMatch(/^\S+Z\tinfo\tcni-agent\t/)
  text.kill('SIGTERM')
  await text.exit
  delete node.env.LOG_AS_JSON
  const json = await node.start()
  await eventually(json.ready, () => json.log())
  json.kill('SIGTERM')
  await json.exit
  for (const line of json.log().trimEnd().split('\n')) {
    expect(Object.keys(JSON.parse(line)).slice(0, 4)).toEqual(['level', 'time', 'scope', 'msg'])
  }
  const atTerminal = ['script', '-qec', `exec ${AGENT}`, '/dev/null'] as const
  const terminal = await node.start({ file: atTerminal })
  const line = '\u001b[36mINFO \u001b[0m keeping istio-cni installed'
  await eventually(
    () => terminal.log().includes(line),
    () => terminal.log(),
  )
  terminal.kill('SIGTERM')
  await terminal.exit
})

test.for<readonly [string, readonly [string, ...string[]], Record<string, string>]>([
  ['JSON of the compiled agent', [AGENT], {}],
  ['text of the compiled agent', [AGENT], { LOG_AS_JSON: 'false' }],
  ['JSON of the bundle on Node', [process.execPath, AGENT_BUNDLE], {}],
  ['text of the bundle on Node', [process.execPath, AGENT_BUNDLE], { LOG_AS_JSON: 'false' }],
])(
  'in the %s a hostile line of a plugin acts on nothing, and one without a bottom is refused',
  async ([, file, env]) => {
    await using node = agentNode()
    delete node.env.LOG_AS_JSON
    const port = await freePort()
    const agent = await node.start({ file, env: { ...env, MONITORING_PORT: String(port) } })
    await eventually(agent.ready, () => agent.log())
    const socketPath = node.path('run/log.sock')
    const hostile =
      'pod\u001b]0;x\u0007\u007f\u0080\u009b2J\u2028\u2029\u200e\u200f\u061c\u202a\u202e\u2066\u2069 started'
    const line = (more: object) =>
      JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05Z', msg: hostile, ...more })
    const nested = `{"a":${'['.repeat(44_000)}${']'.repeat(44_000)},${line({}).slice(1)}`
    const body = JSON.stringify([line({ [hostile]: hostile, deep: [[hostile]] }), nested])
    expect(await ask({ socketPath, path: '/log', method: 'POST', body })).toMatchObject({ status: 200, body: '' })
    const refused = 'log socket: ignored a line: it is nested deeper than 32 levels'
    await eventually(() => agent.log().includes(refused), 'the refusal')
    expect(agent.log()).toContain('\\u009b2J\\u2028\\u2029\\u200e\\u200f\\u061c\\u202a\\u202e\\u2066\\u2069 started')
    expect(agent.log()).not.toMatch(/(?![\n\t])\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|internal error/u)
    const metrics = await ask({ port, path: '/metrics' })
    expect(metrics.body).toContain('istio_cni_agent_log_lines_refused_total{reason="depth"} 1')
  },
)

test('a busy log socket is reported and retried; installing goes on, and the agent is not ready meanwhile', async () => {
  await using node = agentNode()
  writeFileSync(node.path('run/log.sock'), 'stale')
  const first = await node.start()
  await eventually(first.ready, () => first.log())
  first.kill('SIGTERM')
  await first.exit
  mkdirSync(node.path('run/log.sock/full'), { recursive: true })
  const port = await freePort()
  const began = performance.now()
  const agent = await node.start({ env: { MONITORING_PORT: String(port) } })
  await eventually(() => node.read(conflist) === withEntry(calico, entryOf(node)), 'installed')
  expect(agent.log()).toContain(`cannot listen on ${node.path('run/log.sock')}: ENOTEMPTY`)
  expect((await agent.get('/readyz?verbose')).body).toContain('log socket: cannot listen')
  const { body } = await ask({ port, path: '/metrics' })
  const [, errors] = /istio_cni_agent_errors_total\{part="log_socket"\} (\d+)/.exec(body) ?? []
  // The agent tries again each second.
  expect(Number(errors)).toBeGreaterThanOrEqual(1)
  expect(Number(errors)).toBeLessThanOrEqual(1 + (performance.now() - began) / 1000)
  rmSync(node.path('run/log.sock/full'), { recursive: true })
  await eventually(agent.ready, () => agent.log())
  expect((await ask({ socketPath: node.path('run/log.sock'), path: '/log' })).status).toBe(200)
})

test('a closed log output does not end the agent', async () => {
  await using node = agentNode()
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  agent.closeLog()
  const socketPath = node.path('run/log.sock')
  for (let round = 0; round < 3; round++) await ask({ socketPath, path: '/log', method: 'POST', body: 'garbage' })
  node.write(conflist, calico)
  await eventually(() => node.read(conflist) === withEntry(calico, entryOf(node)), 'healed')
  expect(await agent.ready()).toBe(true)
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
})

test('secrets appear neither in the log nor in any other file', async () => {
  await using node = agentNode()
  node.write('sa/ca.crt', 'CA of the cluster')
  const agent = await node.start({ argv: ['--log_output_level=all:debug'] })
  await eventually(agent.ready, () => agent.log())
  chmodSync(node.path('run/istio-cni-kubeconfig'), 0o644)
  await eventually(() => (statSync(node.path('run/istio-cni-kubeconfig')).mode & 0o777) === 0o600, 'private again')
  agent.kill('SIGHUP')
  await eventually(() => agent.log().includes('nothing changed'), 'read again')
  const authority = Buffer.from('CA of the cluster').toString('base64')
  expect(node.read('run/istio-cni-kubeconfig')).toContain(authority)
  for (const secret of ['se.cr.et', authority]) expect(agent.log()).not.toContain(secret)
  for (const name of node.names().filter((one) => !/^sa\/|kubeconfig|\.sock$/.test(one))) {
    expect(readFileSync(node.path(name), 'utf8')).not.toContain('se.cr.et')
  }
})
