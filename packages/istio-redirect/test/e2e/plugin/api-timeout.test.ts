import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { toErrorDocument } from '@cni/types'
import { expect, it } from 'vitest'
import { COMPILED, RUNTIMES } from '../../stage/executables.ts'
import { testBed } from './pod.ts'

// These tests wait as long as a runtime would. They have a file of their own and run at the same time.
it.concurrent('an API server that is down: ADD gives up after its attempts, names the server and leaves no rule', async () => {
  await using bed = await testBed(() => COMPILED)
  const { url } = bed.node.api
  await bed.node.api.close()
  const error = await bed.add().then(
    () => undefined,
    (cause: unknown) => cause,
  )
  const { msg, details = '' } = toErrorDocument(error)
  expect(`${msg} ${details}`).toContain(new URL(url).host)
  expect(await bed.save()).not.toContain('ISTIO_')
  expect(bed.node.stateFiles()).toEqual([])
}, 60_000)

it.concurrent('an API server that hangs: SIGTERM ends ADD at once with code 11 and leaves no rule', async () => {
  await using bed = await testBed(() => COMPILED)
  bed.node.api.misbehave({ hang: true }, { hang: true })
  await netns.exec(bed.pod, ['ip', 'address', 'add', '10.9.9.9/32', 'dev', 'lo'])
  const { file, ...options } = bed.direct('ADD')
  const started = netns.start(bed.nodeNetns, [file], options)
  await expect.poll(() => bed.node.api.requests.length, { timeout: 5000 }).toBe(1)
  started.kill('SIGTERM')
  const outcome = await started.done.catch((error: { stdout: string; exitCode: number }) => error)
  expect(outcome.exitCode).toBe(1)
  expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 11 })
  expect(await bed.save()).not.toContain('ISTIO_')
})

it.concurrent.each(RUNTIMES)(
  'DEL is back within 10 s though no program of iptables ever ends (%s)',
  async (_, plugin) => {
    await using bed = await testBed(plugin)
    // Only programs remove rules of legacy iptables. This rule puts legacy iptables in use.
    await netns.exec(bed.pod, ['iptables-legacy', '-A', 'OUTPUT', '-j', 'ACCEPT'])
    const { result } = await bed.add()
    const bin = join(bed.folder, 'hanging')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xtables-legacy-multi'), "#!/bin/sh\ntrap '' TERM\nexec /bin/sleep 60\n")
    chmodSync(join(bin, 'xtables-legacy-multi'), 0o755)
    for (const family of ['ip', 'ip6']) {
      for (const what of ['restore', 'save']) symlinkSync('xtables-legacy-multi', join(bin, `${family}tables-${what}`))
    }
    const { file, input, env } = bed.direct('DEL', { prevResult: result })
    const options = { input, env: { ...env, PATH: bin }, timeout: 30_000 }
    const { exitCode, stdout, stderr, durationMs } = await netns.exec(bed.nodeNetns, [file], options)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(durationMs).toBeLessThan(10_000)
    expect(stderr).toContain(`its rules are left in ${bed.pod.path}`)
    expect(bed.node.stateFiles()).toEqual([])
  },
)
