import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { expect, it } from 'vitest'
import { RUNTIMES } from './executables.ts'
import { testBed } from './pod.ts'

// In a file of its own: it waits as long as a runtime would have to.
it.each(RUNTIMES)('DEL is back within 10 s though no program of iptables ever ends (%s)', async (_, plugin) => {
  await using bed = await testBed(plugin)
  // Only programs remove rules of legacy iptables, which is in use where somebody has a rule in it.
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
})
