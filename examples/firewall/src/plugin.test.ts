import { fakeIptables } from '@cni/iptables/testing'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import { ALLOW_ANNOTATION, plugin, podFirewall } from './plugin.ts'

const annotated = (text: string) => ({
  runtimeConfig: { 'io.kubernetes.cri.pod-annotations': { [ALLOW_ANNOTATION]: text } },
})

describe('with a fake kernel', () => {
  const onto = (options: Parameters<typeof fakeIptables>[0] = {}) => {
    const kernel = fakeIptables(options)
    const tester = testPlugin(podFirewall({ port: kernel.port }), { conf: { allow: ['tcp 80'] } })
    return { kernel, tester }
  }

  it('ADD writes the rules of the network and of the pod, and passes the result on', async () => {
    const { kernel, tester } = onto()
    const { result } = await tester.add({ conf: annotated('udp 53, tcp 22 from 10.0.0.1') })
    expect(result?.ips?.[0]?.address).toBe('10.1.2.3/24')
    expect(
      kernel
        .dump()
        .split('\n')
        .filter((line) => line.includes('dport')),
    ).toEqual([
      '-A FW:eth0:IN -p tcp --dport 80 -j RETURN',
      '-A FW:eth0:IN -p udp --dport 53 -j RETURN',
      '-A FW:eth0:IN -p tcp --dport 22 -s 10.0.0.1 -j RETURN',
    ])
  })

  it('CHECK fails with code 100 if another program opens a port, and names the difference', async () => {
    const { kernel, tester } = onto()
    await tester.add()
    expect((await tester.check()).exitCode).toBe(0)
    kernel.tamper('*filter\n-I FW:eth0:IN -p tcp --dport 22 -j RETURN\nCOMMIT\n')
    expect((await tester.check()).error).toMatchObject({ code: 100, details: expect.stringContaining('--dport 22') })
  })

  it('DEL removes the rules of its interface only', async () => {
    const { kernel, tester } = onto()
    await tester.add()
    await tester.add({ ifName: 'eth01' })
    await tester.del({ conf: { allow: 'nonsense' } })
    expect(kernel.dump()).not.toContain('FW:eth0:')
    expect(kernel.dump()).toContain('FW:eth01:')
  })

  it('an ADD that fails halfway leaves no rules', async () => {
    const { kernel, tester } = onto({ fail: ({ argv }) => (argv[0] === 'ip6tables-restore' ? 'refused' : undefined) })
    expect((await tester.add()).exitCode).toBe(1)
    expect(kernel.dump('ipv4')).toBe('')
  })

  it('STATUS fails with code 50 without iptables', async () => {
    expect((await onto().tester.status()).exitCode).toBe(0)
    const { tester } = onto({ fail: () => 'not here' })
    expect((await tester.status()).error).toMatchObject({ code: 50, msg: 'iptables does not work on this node' })
  })
})

describe('bad input', () => {
  const tester = testPlugin(plugin)
  const form = 'expected "tcp|udp [PORT[-PORT]]" or "icmp", and perhaps "from ADDRESS[/LENGTH]" after it'

  it.each<[object, string]>([
    [{ allow: ['tcp 80;'] }, `allow[0]: ${form}, got "tcp 80;"`],
    [{ deny: ['tcp', 'tcp 0'] }, `deny[1]: ${form}, got "tcp 0"`],
    [{ otherwise: 'maybe' }, 'otherwise: expected one of "deny", "allow", got "maybe"'],
    [annotated('tcp 80\n-j ACCEPT'), `annotation ${ALLOW_ANNOTATION}: ${form}, got "tcp 80\\n-j ACCEPT"`],
  ])('%j is rejected, and the error names the member', async (conf, msg) => {
    expect((await tester.add({ conf: { ...conf } })).error).toEqual({ cniVersion: '1.1.0', code: 7, msg })
  })

  it.each(['missing', 'none'] as const)(
    'does not make DEL fail, and neither does a pod that is gone (%s)',
    async (netns) => {
      expect(await tester.del({ netns, conf: { allow: 5 } })).toMatchObject({ exitCode: 0, stdout: '' })
    },
  )
})
