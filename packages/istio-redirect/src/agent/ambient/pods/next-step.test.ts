import type { AmbientPod, Labels } from '@cni/istio-rules'
import { decideEnrolment } from '@cni/istio-rules'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mode, ambientPod as pod, settings } from '../../../../../istio-rules/test/ambient-pods.ts'
import { annotationPatch, redirectionAnnotation } from './annotation.ts'
import { type EnrolmentStep, nextStep, type PodSituation } from './next-step.ts'

const ambient = { [mode]: 'ambient' }
const none = { [mode]: 'none' }
const says = (status: string) => ({ annotations: { [redirectionAnnotation]: status } })
const reached = (status: 'enabled' | 'pending', ...addresses: string[]) => ({
  status,
  addresses: addresses.length === 0 ? ['10.0.0.9'] : addresses,
})

const TAKEN = { all: ' with rules', proven: ' with proven rules', none: '' } as const

/** Summary of a step: its kind, its changes, and the rules that it removes. */
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
    ['waits without an address', { pod: { addresses: [] } }, 'wait'],
    [
      'is enrolled again if ztunnel did not accept it',
      { reached: reached('pending'), pod: says('pending') },
      'enrol 10.0.0.9',
    ],
    [
      'waits without an address before a retry',
      { reached: reached('pending'), pod: { ...says('pending'), addresses: [] } },
      'wait',
    ],
    ['needs no step after its enrolment', { reached: reached('enabled'), pod: says('enabled') }, 'none'],
    ['is enrolled after a restart of the agent', { pod: says('enabled') }, 'enrol 10.0.0.9'],
    ['is enrolled although a user wrote enabled', { pod: says('enabled') }, 'enrol 10.0.0.9'],
    ['is enrolled although a user wrote disabled', { pod: says('disabled') }, 'enrol 10.0.0.9'],
    [
      'gets a removed annotation back',
      { reached: reached('enabled') },
      'annotate {"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}',
    ],
    [
      'gets a changed annotation back',
      { reached: reached('enabled'), pod: says('disabled') },
      'annotate {"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}',
    ],
    [
      'gets new addresses into the sets',
      { reached: reached('enabled', '10.0.0.8'), pod: says('enabled') },
      'addresses 10.0.0.9',
    ],
    [
      'gets a further address into the sets',
      { reached: reached('enabled'), pod: { ...says('enabled'), addresses: ['10.0.0.9', 'fd00::9'] } },
      'addresses 10.0.0.9 fd00::9',
    ],
    [
      'needs no step if only the order of its addresses changes',
      {
        reached: reached('enabled', 'fd00::9', '10.0.0.9'),
        pod: { ...says('enabled'), addresses: ['10.0.0.9', 'fd00::9'] },
      },
      'none',
    ],
    [
      'keeps its addresses while its status has none',
      { reached: reached('enabled'), pod: { ...says('enabled'), addresses: [] } },
      'none',
    ],
    ['waits while its namespace is unknown', { namespaceLabels: undefined }, 'wait'],
    ['is not enrolled after it has ended', { pod: { completed: true } }, 'none'],
    ['is not enrolled on the host network', { pod: { hostNetwork: true } }, 'none'],
    ['is not enrolled with a sidecar', { pod: { annotations: { 'sidecar.istio.io/status': '{}' } } }, 'none'],
  ])('%s', (_, row, expected) => {
    expect(short(step(row))).toBe(expected)
  })
})

describe('a pod', () => {
  const enrolled = { reached: reached('enabled'), pod: says('enabled') }
  test.each<[string, Row, string]>([
    [
      'leaves when its namespace is no longer ambient',
      { ...enrolled, namespaceLabels: {} },
      'leave with rules and annotation',
    ],
    [
      'leaves when its own label says none',
      { ...enrolled, pod: { ...says('enabled'), labels: none } },
      'leave with rules and annotation',
    ],
    [
      'leaves when it was only pending',
      { reached: reached('pending'), pod: says('pending'), namespaceLabels: {} },
      'leave with rules and annotation',
    ],
    [
      'leaves when it was enrolled but never annotated',
      { reached: reached('pending'), namespaceLabels: {} },
      'leave with rules',
    ],
    [
      'leaves when it gets a sidecar',
      { ...enrolled, pod: { annotations: { 'sidecar.istio.io/status': '' } } },
      'leave with rules',
    ],
    [
      'leaves when its namespace is excluded',
      { ...enrolled, pod: { ...says('enabled'), namespace: 'kube-system' } },
      'leave with rules and annotation',
    ],
    [
      'leaves when only a user wrote the annotation',
      { pod: says('enabled'), namespaceLabels: {} },
      'leave with rules and annotation',
    ],
    [
      'leaves without the rules of its sidecar if only its annotation shows an enrolment',
      { pod: { annotations: { 'sidecar.istio.io/status': '', [redirectionAnnotation]: 'enabled' } } },
      'leave with proven rules and annotation',
    ],
    [
      'leaves without the rules of its sidecar if it had the sidecar before this agent started',
      {
        reached: { ...reached('enabled'), hadSidecar: true },
        pod: { annotations: { 'sidecar.istio.io/status': '' } },
      },
      'leave with proven rules',
    ],
    [
      'leaves without a removal of rules on the host network',
      { pod: { ...says('enabled'), hostNetwork: true } },
      'leave and annotation',
    ],
    [
      'leaves when it ends, and its rules stay',
      { ...enrolled, pod: { ...says('enabled'), completed: true } },
      'leave and annotation',
    ],
    [
      'leaves when it ends without an address',
      { ...enrolled, pod: { ...says('enabled'), completed: true, addresses: [] } },
      'leave and annotation',
    ],
    [
      'leaves when it ends in an unknown namespace',
      { ...enrolled, pod: { ...says('enabled'), completed: true }, namespaceLabels: undefined },
      'leave and annotation',
    ],
    ['leaves when it is deleted, without a write', { ...enrolled, deleted: true }, 'leave'],
    [
      'leaves when it is deleted in an excluded namespace',
      { ...enrolled, pod: { ...says('enabled'), namespace: 'kube-system' }, deleted: true },
      'leave',
    ],
    [
      'leaves when it is deleted with its namespace',
      { ...enrolled, deleted: true, namespaceLabels: undefined },
      'leave',
    ],
    ['leaves when it is deleted before its annotation', { deleted: true }, 'leave'],
    ['leaves when it is deleted while it waits for an address', { deleted: true, pod: { addresses: [] } }, 'leave'],
    ['does not leave again when it is deleted after its end', { deleted: true, pod: { completed: true } }, 'none'],
    ['does not leave if it was never enrolled', { deleted: true, namespaceLabels: {} }, 'none'],
    ['does not leave if its annotation is a user value', { pod: says('disabled'), namespaceLabels: {} }, 'none'],
  ])('%s', (_, row, expected) => {
    expect(short(step(row))).toBe(expected)
  })
})

/** Applies a successful step to the situation of a pod. */
function after(before: PodSituation, done: EnrolmentStep): PodSituation {
  const annotate = (patch: ReturnType<typeof annotationPatch>) => {
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
        pod: annotate(annotationPatch(before.pod, 'enabled')),
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

test('at most three successful steps lead to the state that the labels ask for, and then nothing is written', () => {
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
