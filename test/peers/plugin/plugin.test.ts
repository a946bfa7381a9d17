import { describe, expect, test } from 'vitest'
import { podCase } from '../../../packages/istio-rules/test/random-pod.ts'
import { seed } from '../../deep.ts'
import { forSuite } from '../../for-suite.ts'
import { peer, runs } from '../peers.ts'
import { sweep } from '../sweep.ts'
import { plugins } from './plugin-pair.ts'
import { podJudge } from './pod-judge.ts'

const { missing } = peer('istio-cni')

describe.runIf(missing === undefined).each(['alone', 'served'] as const)(
  `the original istio-cni and ours, %s${missing ? ` (skipped: ${missing})` : ''}`,
  (way) => {
    const started = forSuite(() => plugins(way))

    test(`do the same with ${runs} random pods (CNI_SEED=${seed})`, { timeout: 60_000 + 1000 * runs }, async () => {
      const both = started()
      const report = await sweep(podCase, podJudge(both.compare))
      process.stderr.write(
        `seed ${seed}: ${report.cases} pods, ${both.served} decided by the agent, known differences ${JSON.stringify(report.known)}\n`,
      )
      expect(report.disagreements.join('\n\n')).toBe('')
      if (way === 'served') expect(both.served).toBeGreaterThan(runs / 4)
    })
  },
)
