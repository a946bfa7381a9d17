import { iptables } from '@cni/iptables'
import { openFresh } from '@cni/iptables/fresh'
import type { Family } from '@cni/iptables/rules'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawn, times } from '../../../../test/deep.ts'
import { captureConfig } from '../../../istio-rules/src/capture/config.ts'
import { redirectFor } from '../../../istio-rules/src/capture/redirect.ts'
import { skipReason } from '../../../istio-rules/src/decide/skip-reason.ts'
import { redirectRules } from '../../../istio-rules/src/iptables/rules.ts'
import { istioRestoreText } from '../../../istio-rules/src/iptables/text.ts'
import { podInfo } from '../../../istio-rules/src/pod/pod-info.ts'
import { RedirectError } from '../../../istio-rules/src/pod/redirect-error.ts'
import { type PodCase, podCase } from '../../../istio-rules/test/random-pod.ts'
import { parsePod } from '../../../kube/src/client/parse-pod.ts'
import { makeBatch } from '../../src/decide/make-batch.ts'

const runs = times(24)

/** Pods at a time. While one waits for a program, another one is written. */
const together = 4

/** The number of namespaces that were empty: only there a single batch writes all rules. */
let atOnce = 0

const redirected = fc.array(
  podCase.filter((one) => configOf(one) !== undefined),
  {
    minLength: together,
    maxLength: together,
  },
)

test('netlink, programs and a single batch write the same rules for a random pod, to the letter of iptables-save', {
  timeout: 60_000 + runs * 2000,
}, async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(redirected, async (cases) => {
      await Promise.all(cases.map(compare))
      compared += cases.length
    }),
    { numRuns: Math.ceil(runs / together), ...drawn, endOnFailure: true },
  )
  expect(compared).toBeGreaterThanOrEqual(runs)
  expect(atOnce).toBeGreaterThan(runs / 4)
})

async function compare(one: PodCase): Promise<void> {
  const config = configOf(one) ?? expect.unreachable()
  const rules = redirectRules(config)
  const written: Record<Family, string>[] = []
  for (const how of ['netlink', 'programs', 'one batch'] as const) {
    await using pod = await tempNetns()
    for (const line of one.foreign) {
      const [program = '', ...args] = line.split(' ')
      if (program === 'iptables-nft') await netns.exec(pod, [program, ...args])
    }
    if (how === 'one batch') {
      using tables = openFresh(pod)
      if (tables?.fresh !== true) continue
      expect(tables.commit(makeBatch(config, 'iptables-nft') ?? expect.unreachable())).toBe(true)
    } else {
      const programs = how === 'netlink' ? 'never' : 'always'
      const tables = iptables(pod, { backend: 'iptables-nft', programs, print: istioRestoreText })
      for (let n = 0; n < one.calls; n += 1) await tables.apply(rules)
    }
    written.push({ ipv4: await saved(pod, 'iptables-nft-save'), ipv6: await saved(pod, 'ip6tables-nft-save') })
    // netlink also reads the rules that programs wrote.
    await iptables(pod, { backend: 'iptables-nft', programs: 'never' }).verify(rules)
  }
  const [first, ...others] = written
  for (const other of others) expect(other).toEqual(first)
  expect(first?.ipv4).toContain('-j ISTIO_')
  atOnce += others.length - 1
}

/** The capture that ADD would write; `undefined` for a pod that ADD skips or refuses. */
function configOf({ pod: document, told, env }: PodCase) {
  const pod = podInfo(parsePod(document, document.metadata))
  if (pod.hostNetwork || skipReason(pod) !== undefined) return undefined
  try {
    return captureConfig(redirectFor(pod, { env }), { ipv6: told.some((one) => one.includes(':')) })
  } catch (error) {
    if (error instanceof RedirectError) return undefined
    throw error
  }
}

/** The rules without lines that have a date. */
async function saved(pod: Netns, program: string): Promise<string> {
  return (await netns.exec(pod, [program])).stdout.replace(/^#.*\n/gm, '')
}
