import type { AmbientPod, Labels } from '@cni/istio-rules'
import { decideEnrolment } from '@cni/istio-rules'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mode, ambientPod as pod, settings } from '../../../../../istio-rules/test/ambient-pods.ts'
import { patchAfter, redirectionAnnotation } from './annotation.ts'
import { type EnrolmentStep, nextStep, type PodSituation } from './next-step.ts'

const ambient = { [mode]: 'ambient' }
const none = { [mode]: 'none' }
const says = (status: string) => ({ annotations: { [redirectionAnnotation]: status } })
const reached = (status: 'enabled' | 'pending', ...addresses: string[]) => ({
  status,
  addresses: addresses.length === 0 ? ['10.0.0.9'] : addresses,
})

const TAKEN = { all: ' with rules', proven: ' with proven rules', none: '' } as const

/** A step in short: what it is, what it writes, and whether rules are taken out. */
function short(step: EnrolmentStep): string {
  switch (step.step) {
    case 'none':
      return step.waiting ? 'wait' : 'none'
    case 'enrol':
    case 'addresses':
      return `${step.step} ${step.addresses.join(' ')}`
    case 'annotate':
      return `annotate ${JSON.stringify(step.patch.body?.document)}`
    case 'leave':
      return `leave${TAKEN[step.rules]}${step.patch === undefined ? '' : ' and annotation'}`
  }
}

interface Row extends Partial<Omit<PodSituation, 'pod'>> {
  readonly pod?: Partial<AmbientPod>
}

const step = ({ pod: more = {}, deleted = false, reached: far, ...rest }: Row): EnrolmentStep =>
  nextStep(
    {
      pod: pod(more),
      deleted,
      reached: far,
      namespaceLabels: 'namespaceLabels' in rest ? rest.namespaceLabels : ambient,
    },
    settings,
  )

describe('a pod in an ambient namespace', () => {
  test.each<[string, Row, string]>([
    ['is enrolled', {}, 'enrol 10.0.0.9'],
    ['waits for an address', { pod: { addresses: [] } }, 'wait'],
    [
      'is enrolled again when ztunnel did not take it',
      { reached: reached('pending'), pod: says('pending') },
      'enrol 10.0.0.9',
    ],
    [
      'waits with that for an address',
      { reached: reached('pending'), pod: { ...says('pending'), addresses: [] } },
      'wait',
    ],
    ['is left alone once it is enrolled', { reached: reached('enabled'), pod: says('enabled') }, 'none'],
    ['is enrolled after a restart of the agent', { pod: says('enabled') }, 'enrol 10.0.0.9'],
    ['is enrolled whatever a user wrote', { pod: says('enabled') }, 'enrol 10.0.0.9'],
    ['is enrolled against the will of a user who annotated it', { pod: says('disabled') }, 'enrol 10.0.0.9'],
    [
      'gets its annotation back that a user removed',
      { reached: reached('enabled') },
      'annotate {"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}',
    ],
    [
      'gets its annotation back that a user changed',
      { reached: reached('enabled'), pod: says('disabled') },
      'annotate {"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}',
    ],
    [
      'has its new addresses in the sets',
      { reached: reached('enabled', '10.0.0.8'), pod: says('enabled') },
      'addresses 10.0.0.9',
    ],
    [
      'has a further address in the sets',
      { reached: reached('enabled'), pod: { ...says('enabled'), addresses: ['10.0.0.9', 'fd00::9'] } },
      'addresses 10.0.0.9 fd00::9',
    ],
    [
      'is left alone when its addresses change places',
      {
        reached: reached('enabled', 'fd00::9', '10.0.0.9'),
        pod: { ...says('enabled'), addresses: ['10.0.0.9', 'fd00::9'] },
      },
      'none',
    ],
    [
      'keeps its addresses when it has none for a while',
      { reached: reached('enabled'), pod: { ...says('enabled'), addresses: [] } },
      'none',
    ],
    ['waits while nothing is known of its namespace', { namespaceLabels: undefined }, 'wait'],
    ['is not enrolled after it has ended', { pod: { completed: true } }, 'none'],
    ['is not enrolled on the network of the node', { pod: { hostNetwork: true } }, 'none'],
    ['is not enrolled with a sidecar', { pod: { annotations: { 'sidecar.istio.io/status': '{}' } } }, 'none'],
  ])('%s', (_, row, expected) => {
    expect(short(step(row))).toBe(expected)
  })
})

describe('a pod leaves the mesh', () => {
  const enrolled = { reached: reached('enabled'), pod: says('enabled') }
  test.each<[string, Row, string]>([
    [
      'when its namespace is ambient no longer',
      { ...enrolled, namespaceLabels: {} },
      'leave with rules and annotation',
    ],
    [
      'when its own label says none',
      { ...enrolled, pod: { ...says('enabled'), labels: none } },
      'leave with rules and annotation',
    ],
    [
      'when it was pending only',
      { reached: reached('pending'), pod: says('pending'), namespaceLabels: {} },
      'leave with rules and annotation',
    ],
    [
      'when it was enrolled but never annotated',
      { reached: reached('pending'), namespaceLabels: {} },
      'leave with rules',
    ],
    [
      'when a sidecar appears in it',
      { ...enrolled, pod: { annotations: { 'sidecar.istio.io/status': '' } } },
      'leave with rules',
    ],
    [
      'when its namespace is excluded',
      { ...enrolled, pod: { ...says('enabled'), namespace: 'kube-system' } },
      'leave with rules and annotation',
    ],
    [
      'when only a user says that it is in',
      { pod: says('enabled'), namespaceLabels: {} },
      'leave with rules and annotation',
    ],
    [
      'with no rule that its sidecar may have when its annotation alone says that it is in',
      { pod: { annotations: { 'sidecar.istio.io/status': '', [redirectionAnnotation]: 'enabled' } } },
      'leave with proven rules and annotation',
    ],
    [
      'with no rule that its sidecar may have when it had that before this agent began',
      {
        reached: { ...reached('enabled'), hadSidecar: true },
        pod: { annotations: { 'sidecar.istio.io/status': '' } },
      },
      'leave with proven rules',
    ],
    [
      'without rules on the network of the node',
      { pod: { ...says('enabled'), hostNetwork: true } },
      'leave and annotation',
    ],
    [
      'with its rules when it ends',
      { ...enrolled, pod: { ...says('enabled'), completed: true } },
      'leave and annotation',
    ],
    [
      'when it ends without an address',
      { ...enrolled, pod: { ...says('enabled'), completed: true, addresses: [] } },
      'leave and annotation',
    ],
    [
      'when it ends and nothing is known of its namespace',
      { ...enrolled, pod: { ...says('enabled'), completed: true }, namespaceLabels: undefined },
      'leave and annotation',
    ],
    ['when it is deleted, and nothing is written', { ...enrolled, deleted: true }, 'leave'],
    [
      'when it is deleted in an excluded namespace',
      { ...enrolled, pod: { ...says('enabled'), namespace: 'kube-system' }, deleted: true },
      'leave',
    ],
    ['when it is deleted with its namespace', { ...enrolled, deleted: true, namespaceLabels: undefined }, 'leave'],
    ['when it is deleted before it was annotated', { deleted: true }, 'leave'],
    ['when it is deleted while it waits for an address', { deleted: true, pod: { addresses: [] } }, 'leave'],
    ['once, when it ended before it was deleted', { deleted: true, pod: { completed: true } }, 'none'],
    ['not when it never was in', { deleted: true, namespaceLabels: {} }, 'none'],
    ['not when its annotation is none of ours', { pod: says('disabled'), namespaceLabels: {} }, 'none'],
  ])('%s', (_, row, expected) => {
    expect(short(step(row))).toBe(expected)
  })
})

/** What a step does to a pod when it succeeds. */
function after(before: PodSituation, done: EnrolmentStep): PodSituation {
  const annotate = (patch: ReturnType<typeof patchAfter>) => {
    if (patch === undefined) return before.pod
    const { [redirectionAnnotation]: _, ...others } = before.pod.annotations
    const value = /"(enabled|pending)"/.exec(JSON.stringify(patch.body?.document))?.[1]
    return { ...before.pod, annotations: value === undefined ? others : { ...others, [redirectionAnnotation]: value } }
  }
  switch (done.step) {
    case 'none':
      return before
    case 'enrol':
      return {
        ...before,
        pod: annotate(patchAfter(before.pod, 'enrolled')),
        reached: reached('enabled', ...done.addresses),
      }
    case 'addresses':
      return { ...before, reached: reached('enabled', ...done.addresses) }
    case 'annotate':
      return { ...before, pod: annotate(done.patch) }
    case 'leave':
      return { ...before, pod: annotate(done.patch), reached: undefined }
  }
}

test('steps that succeed end after three at most, in what the labels ask for, and then write nothing', () => {
  const label = fc.constantFrom<Labels>({}, ambient, none)
  const situation = fc.record({
    pod: fc
      .record({
        namespace: fc.constantFrom('shop', 'kube-system', 'istio-system'),
        labels: fc.oneof(label, fc.constant({ app: 'ztunnel' })),
        annotations: fc.oneof(
          fc.constantFrom<Labels>({}, { 'sidecar.istio.io/status': '' }),
          fc.constantFrom('enabled', 'pending', 'disabled').map((each) => ({ [redirectionAnnotation]: each })),
        ),
        hostNetwork: fc.boolean(),
        completed: fc.boolean(),
        addresses: fc.subarray(['10.0.0.8', '10.0.0.9', 'fd00::9']),
      })
      .map(pod),
    deleted: fc.constant(false),
    namespaceLabels: label,
    reached: fc.option(
      fc.record({
        status: fc.constantFrom('enabled' as const, 'pending' as const),
        addresses: fc.subarray(['10.0.0.8', '10.0.0.9', 'fd00::9']),
      }),
      { nil: undefined },
    ),
  })
  fc.assert(
    fc.property(situation, (first) => {
      let now: PodSituation = first
      for (let count = 0; count < 3; count++) now = after(now, nextStep(now, settings))
      const last = nextStep(now, settings)
      expect(last.step).toBe('none')
      const { enrolled } = decideEnrolment(now.pod, now.namespaceLabels ?? {}, settings)
      if (!enrolled) expect([now.reached, now.pod.annotations[redirectionAnnotation]]).not.toContain('enabled')
      if (!enrolled) expect(now.reached).toBeUndefined()
      if (enrolled && now.pod.addresses.length > 0) {
        expect(now.reached?.addresses.toSorted()).toEqual(now.pod.addresses.toSorted())
        expect(now.pod.annotations[redirectionAnnotation]).toBe('enabled')
      }
    }),
  )
})
