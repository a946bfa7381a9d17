import { describe, expect, test } from 'vitest'
import { nativeCase } from '../../../packages/istio-rules/test/random-pod.ts'
import { seed } from '../../deep.ts'
import { forSuite } from '../../for-suite.ts'
import { peer, runs } from '../peers.ts'
import { sweep } from '../sweep.ts'
import { plugins } from './plugin-pair.ts'
import { podJudge } from './pod-judge.ts'

const { missing } = peer('istio-cni')

describe.runIf(missing === undefined).each(['alone', 'served'] as const)(
  `the original istio-cni and ours, with native_nftables, %s${missing ? ` (skipped: ${missing})` : ''}`,
  (way) => {
    const started = forSuite(() => plugins(way))

    test(`do the same with ${runs} random pods (CNI_SEED=${seed})`, { timeout: 60_000 + 1000 * runs }, async () => {
      const both = started()
      let redirected = 0
      const judge = podJudge(async (one, theirs) => {
        const pair = await both.compare(one, theirs)
        if (pair.theirs.results.native !== '') redirected += 1
        return pair
      })
      const report = await sweep(nativeCase, judge)
      process.stderr.write(
        `seed ${seed}: ${report.cases} pods, native rules ${redirected} times, known differences ${JSON.stringify(report.known)}\n`,
      )
      expect(redirected).toBeGreaterThan(runs / 4)
      expect(report.disagreements.join('\n\n')).toBe('')
      if (way === 'served') expect(both.served).toBeGreaterThan(runs / 4)
    })
  },
)
