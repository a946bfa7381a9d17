import { definePlugin, type Plugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'

type Grammar = NonNullable<Plugin['args']>

const calls = (args?: Grammar) => {
  const seen: Array<ReadonlyMap<string, string>> = []
  const plugin = definePlugin({
    name: 'p',
    ...(args === undefined ? {} : { args }),
    add(c) {
      seen.push(c.args)
      return {}
    },
    check: (c) => void seen.push(c.args),
    del: (c) => void seen.push(c.args),
    status: (c) => void seen.push(c.args),
  })
  return { tester: testPlugin(plugin), seen }
}

describe('CNI_ARGS', () => {
  it.each([undefined, 'tolerant'] as const)('the tolerant parser skips invalid pairs (%s)', async (grammar) => {
    const { tester, seen } = calls(grammar)
    expect(await tester.add({ args: 'A=b=c;;X;=Y;IP=nonsense' })).toMatchObject({ exitCode: 0 })
    expect(Object.fromEntries(seen[0] ?? [])).toEqual({ A: 'b=c', IP: 'nonsense' })
  })

  const kubernetes = 'K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0;K8S_POD_INFRA_CONTAINER_ID=1;K8S_POD_UID=2'
  it.each<[Grammar, string, string | undefined]>([
    ['strict', '', undefined],
    ['strict', kubernetes, undefined],
    ['strict', 'IgnoreUnknown=1;FOO=bar', undefined],
    ['strict', 'FOO=bar', 'ARGS: unknown args ["FOO=bar"]'],
    ['strict', 'A=b=c', 'ARGS: invalid pair "A=b=c"'],
    ['strict', 'IgnoreUnknown=1;', 'ARGS: invalid pair ""'],
    [{ IP: 'ip', MAC: 'string' }, `IP=10.1.2.3;MAC=x;${kubernetes}`, undefined],
    [{ IP: 'ip' }, 'IP=x', 'ARGS: error parsing value of pair "IP=x": invalid IP address: x'],
  ])('with the grammar %j, %j fails with %j', async (grammar, args, msg) => {
    const { tester, seen } = calls(grammar)
    for (const verb of ['add', 'check'] as const) {
      const { exitCode, error } = await tester[verb]({ args })
      expect([exitCode, error?.code, error?.msg]).toEqual(msg === undefined ? [0, undefined, undefined] : [1, 999, msg])
    }
    expect(seen).toHaveLength(msg === undefined ? 2 : 0)
  })

  it('invalid arguments never fail DEL or a verb without arguments', async () => {
    const { tester, seen } = calls('strict')
    const { exitCode, log } = await tester.del({ args: 'X;FOO=bar' })
    expect(exitCode).toBe(0)
    expect(log).toMatchObject([{ level: 'warn', reason: 'ARGS: invalid pair "X"' }])
    expect(await tester.status({ env: { CNI_ARGS: 'X' } })).toMatchObject({ exitCode: 0 })
    expect(seen.map((args) => Object.fromEntries(args))).toEqual([{ FOO: 'bar' }, {}])
  })
})
