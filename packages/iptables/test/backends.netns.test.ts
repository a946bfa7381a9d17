import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunError } from '@cni/host'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Iptables, iptables } from '../src/iptables.ts'
import { families } from '../src/rules/model.ts'

import { rules } from './proxy-rules.ts'

describe('back ends side by side', () => {
  test('auto selects the node’s back end, and legacy as soon as that holds rules here', async () => {
    await using pod = await tempNetns()
    const auto = () => iptables(pod)
    const plain = await auto().backend()
    await auto().apply(rules)
    await netns.exec(pod, ['iptables-legacy', '-S'])
    expect(await auto().backend()).toBe(plain)
    await auto().verify(rules)
    await netns.exec(pod, ['iptables-legacy', '-A', 'INPUT', '-p', 'udp', '-j', 'ACCEPT'])
    expect(await auto().backend()).toBe('iptables-legacy')
    expect((await auto().apply(rules)).backend).toBe('iptables-legacy')
    await auto().verify(rules)
    expect(await iptables(pod, { backend: 'iptables-nft' }).save('ipv4')).not.toContain('EX_')
  })

  test.each([
    ['iptables-nft', 'iptables-legacy'],
    ['iptables-legacy', 'iptables-nft'],
  ] as const)('rules in %s are removed when rules are applied to %s by name', async (former, latter) => {
    await using pod = await tempNetns()
    await iptables(pod, { backend: former }).apply(rules)
    const now = iptables(pod, { backend: latter })
    const { unexpected } = await now.diff(rules)
    expect([...new Set(unexpected.map(({ backend }) => backend))]).toEqual([former])
    await now.apply(rules)
    await now.verify(rules)
    expect(await iptables(pod, { backend: former }).save('ipv4')).not.toContain('EX_')
  })

  test('remove and removeChains search both back ends', async () => {
    await using pod = await tempNetns()
    for (const remove of [(ipt: Iptables) => ipt.remove(rules), (ipt: Iptables) => ipt.removeChains('EX_')]) {
      const both = [iptables(pod, { backend: 'iptables-nft' }), iptables(pod, { backend: 'iptables-legacy' })]
      for (const ipt of both) await ipt.apply(rules)
      await both[0]?.apply(rules)
      await remove(iptables(pod))
      for (const ipt of both) expect(await ipt.save('ipv4')).not.toContain('EX_')
    }
  })
})

describe('the lock of the legacy back end', () => {
  test('is one file per namespace: a pod does not wait for the node’s lock', async () => {
    await using pod = await tempNetns()
    await withLock('/run/xtables.lock', async () => {
      await iptables(pod, { backend: 'iptables-legacy', waitSeconds: 1 }).apply(rules)
    })
  })

  test('throws LOCKED after the wait if another process keeps it, and writes nothing', async () => {
    await using pod = await tempNetns()
    await withLock(pod.path, async () => {
      await expect(iptables(pod, { backend: 'iptables-legacy', waitSeconds: 1 }).apply(rules)).rejects.toMatchObject({
        code: 'LOCKED',
      })
    })
    expect(await iptables(pod, { backend: 'iptables-legacy' }).save('ipv4')).not.toContain('EX_')
  })

  test('does not delay an abort: the waiting programs are killed', async () => {
    await using pod = await tempNetns()
    const signal = AbortSignal.timeout(50)
    await withLock(pod.path, async () => {
      const apply = iptables({ netns: pod, signal }, { backend: 'iptables-legacy', waitSeconds: 600 }).apply(rules)
      await expect(apply).rejects.toMatchObject({ code: 'ABORTED' })
    })
    expect(await iptables(pod, { backend: 'iptables-legacy' }).save('ipv4')).not.toContain('EX_')
  })
})

test.each([
  ['by itself', false],
  ['and so does the undo step of a call that does not wait for it', true],
])('an abort rolls back the rules of slow programs, %s', async (_, early) => {
  const folder = mkdtempSync(join(tmpdir(), 'slow-'))
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  await using pod = await tempNetns()
  for (const program of ['iptables-legacy-restore', 'ip6tables-legacy-restore']) {
    // Waits half a second after the abort, longer than a program that waits for the lock may take.
    const wait = `until [ -e ${join(folder, 'aborted')} ]; do sleep 0.05; done; sleep 0.5`
    const text = `#!/bin/sh\n/usr/sbin/${program} "$@"; code=$?; ${wait}; exit $code\n`
    writeFileSync(join(folder, program), text, { mode: 0o755 })
  }
  const look = iptables(pod, { backend: 'iptables-legacy' })
  const controller = new AbortController()
  const steps: Array<() => unknown> = []
  const c = { netns: pod, signal: controller.signal, undo: (step: () => unknown) => void steps.push(step) }
  const applied = iptables(c, { backend: 'iptables-legacy' }).apply(rules)
  applied.catch(() => {})
  for (const family of families) {
    const deadline = Date.now() + 60_000
    while (!(await look.save(family)).includes('-A EX_DNS') && Date.now() < deadline);
  }
  controller.abort()
  writeFileSync(join(folder, 'aborted'), '')
  if (early) await steps[0]?.()
  else await expect(applied).rejects.toMatchObject({ code: 'ABORTED' })
  for (const family of families) expect(await look.save(family)).not.toContain('EX_')
})

/** Calls `body` while another process holds a lock file. */
async function withLock(path: string, body: () => Promise<void>): Promise<void> {
  const holder = netns.start('host', ['flock', path, 'sleep', '60'])
  const ended = holder.done.catch((error: unknown) => error)
  try {
    const deadline = Date.now() + 10_000
    while ((await free(path)) && Date.now() < deadline);
    await body()
  } finally {
    holder.kill('SIGKILL')
    await ended
  }
}

async function free(path: string): Promise<boolean> {
  try {
    await netns.exec('host', ['flock', '-n', path, 'true'])
    return true
  } catch (error) {
    if (isRunError(error)) return false
    throw error
  }
}
