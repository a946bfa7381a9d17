import { netns } from '@cni/netns'
import { describe, expect, it } from 'vitest'
import { RUNTIMES } from '../../stage/executables.ts'
import { testBed } from './pod.ts'

/** A rule that puts legacy iptables in use in a namespace. */
const legacyRule = ['iptables-legacy', '-A', 'OUTPUT', '-j', 'ACCEPT'] as const

describe.each(RUNTIMES)('ADD names the capability that it lacks (%s)', (_, plugin) => {
  /** Runs the plugin as a confined runtime does. */
  async function addWithout(capability: string, before?: readonly [string, ...string[]]) {
    await using bed = await testBed(plugin)
    await netns.exec(bed.pod, ['ip', 'address', 'add', '10.9.9.9/32', 'dev', 'lo'])
    if (before !== undefined) await netns.exec(bed.pod, before)
    const { file, ...options } = bed.direct('ADD')
    const argv = ['setpriv', `--bounding-set=-${capability}`, `--inh-caps=-${capability}`, file] as const
    const { exitCode, stdout, stderr } = await netns.exec(bed.nodeNetns, argv, {
      ...options,
      timeout: 20_000,
      reject: false,
    })
    return {
      exitCode,
      document: JSON.parse(stdout),
      stderr,
      rules: (await netns.exec(bed.pod, [before === undefined ? 'iptables-save' : 'iptables-legacy-save'])).stdout,
    }
  }

  it('SYS_ADMIN, which entering a namespace needs: code 50', async () => {
    const { exitCode, document, rules } = await addWithout('sys_admin')
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code: 50, msg: expect.stringMatching(/setns \d+: EPERM \(.*this process lacks CAP_SYS_ADMIN\)$/) },
    })
    expect(rules).not.toContain('ISTIO_')
  })

  it('NET_ADMIN, which writing rules needs: code 50', async () => {
    const { exitCode, document, rules } = await addWithout('net_admin')
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code: 50, msg: expect.stringContaining('this needs CAP_NET_ADMIN') },
    })
    expect(rules).not.toContain('ISTIO_')
  })

  it('but succeeds without SYS_CHROOT, which netlink does not need', async () => {
    const { exitCode, stderr, rules } = await addWithout('sys_chroot')
    expect(exitCode).toBe(0)
    expect(stderr).not.toContain('"warn"')
    expect(rules).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })

  it('SYS_CHROOT, which shields programs of legacy iptables: a warning', async () => {
    const { exitCode, stderr, rules } = await addWithout('sys_chroot', legacyRule)
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/without its shield.*No shield: setns \d+: EPERM \(.*this process lacks CAP_SYS_CHROOT\)/)
    expect(rules).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })
})
