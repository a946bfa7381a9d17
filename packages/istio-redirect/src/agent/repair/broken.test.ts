import { describe, expect, test } from 'vitest'
import { observePod } from '../pods/observed-pod.ts'
import { isBroken } from './broken.ts'

const filter = {
  sidecarAnnotation: 'sidecar.istio.io/status',
  initContainerName: 'istio-validation',
  initContainerTerminationMessage: '',
  initContainerExitCode: 126,
}
const ended = (exitCode: number, more: object = {}) => ({ terminated: { exitCode, reason: 'Error', ...more } })
const completed = ended(0, { reason: 'Completed' })
const backOff = { waiting: { reason: 'CrashLoopBackOff' } }
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } }

const pod = (status: unknown, annotations: object = { 'sidecar.istio.io/status': '' }) => {
  const observed = observePod({
    metadata: { name: 'web', namespace: 'demo', uid: 'u-1', resourceVersion: '7', annotations },
    status,
  })
  if (observed === undefined) throw new Error('not a pod')
  return observed
}
const validation = (state: unknown, lastState: unknown = {}, name = 'istio-validation') => ({
  initContainerStatuses: [
    { name: 'other', state: completed },
    { name, state, lastState },
  ],
})

describe('a pod is broken', () => {
  test.each<[string, unknown, object, boolean]>([
    ['not when its validation succeeded', validation(completed), {}, false],
    ['not when it succeeded in the end', validation(completed, ended(126)), {}, false],
    ['not when it ended with 0 whatever the reason', validation(ended(0), ended(126)), {}, false],
    ['while it waits for its next try', validation(backOff, ended(126)), {}, true],
    ['when it has just failed again', validation(ended(126), ended(126)), {}, true],
    ['when it has just failed in another way', validation(ended(1), ended(126)), {}, true],
    ['while it tries again', validation(running, ended(126)), {}, true],
    ['not when it fails otherwise', validation(backOff, ended(55)), {}, false],
    ['not when another code is looked for', validation(backOff, ended(126)), { initContainerExitCode: 55 }, false],
    ['with any code when none is looked for', validation(backOff, ended(121)), { initContainerExitCode: 0 }, true],
    ['not when another container fails', validation(backOff, ended(126), 'istio-init'), {}, false],
    ['by any container if none is named', validation(backOff, ended(126), 'x'), { initContainerName: '' }, true],
    ['not while there is nothing to know', {}, {}, false],
    ['not when a status is empty', { initContainerStatuses: [{}] }, {}, false],
    // The first crash: with restartPolicy: Never there is no other.
    ['from its first crash on', validation(ended(126)), {}, true],
    ['not from a first crash of another kind', validation(ended(1)), {}, false],
    ['not when a first try succeeded with any code', validation(completed), { initContainerExitCode: 0 }, false],
    // Hostile or odd
    ['not when the statuses are no list', { initContainerStatuses: 'x' }, {}, false],
    ['not when a status is no object', { initContainerStatuses: [null, 3, []] }, {}, false],
    ['not when the code is text', validation(backOff, { terminated: { exitCode: '126' } }), {}, false],
    ['not when the status is null', null, {}, false],
  ])('%s', (_, status, more, expected) => {
    expect(isBroken(pod(status), { ...filter, ...more })).toBe(expected)
  })

  test.each([
    ['no such message', '', false],
    ['iptables validation failed', 'iptables validation failed', true],
    ['other', 'iptables validation failed', false],
    [' iptables validation failed\n', '\tiptables validation failed  ', true],
  ])('with the message %j when %j is looked for: %#', (wanted, message, expected) => {
    const status = validation(backOff, ended(126, { message }))
    expect(isBroken(pod(status), { ...filter, initContainerTerminationMessage: wanted })).toBe(expected)
    expect(
      isBroken(pod(validation(ended(126, { message }))), { ...filter, initContainerTerminationMessage: wanted }),
    ).toBe(expected)
  })

  test('only with the annotation, whatever its value', () => {
    const status = validation(backOff, ended(126))
    expect(isBroken(pod(status, {}), filter)).toBe(false)
    expect(isBroken(pod(status, { 'sidecar.istio.io/status': null }), filter)).toBe(true)
    expect(isBroken(pod(status, {}), { ...filter, sidecarAnnotation: '' })).toBe(true)
    expect(isBroken(pod(status, {}), { ...filter, sidecarAnnotation: 'toString' })).toBe(false)
  })
})
