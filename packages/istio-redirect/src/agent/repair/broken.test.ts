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

describe('a pod with a failed init container', () => {
  test.each<[string, unknown, object, boolean]>([
    ['is not broken after a successful validation', validation(completed), {}, false],
    ['is not broken if a later attempt succeeded', validation(completed, ended(126)), {}, false],
    ['is not broken after exit code 0, whatever the reason', validation(ended(0), ended(126)), {}, false],
    ['is broken while it waits for the next attempt', validation(backOff, ended(126)), {}, true],
    ['is broken when it has failed again', validation(ended(126), ended(126)), {}, true],
    ['is broken when it has failed with another code afterwards', validation(ended(1), ended(126)), {}, true],
    ['is broken during the next attempt', validation(running, ended(126)), {}, true],
    ['is not broken after another exit code', validation(backOff, ended(55)), {}, false],
    [
      'is not broken if the settings name another exit code',
      validation(backOff, ended(126)),
      { initContainerExitCode: 55 },
      false,
    ],
    [
      'is broken with any exit code if the settings name none',
      validation(backOff, ended(121)),
      { initContainerExitCode: 0 },
      true,
    ],
    ['is not broken by another container', validation(backOff, ended(126), 'istio-init'), {}, false],
    [
      'is broken by any container if the settings name none',
      validation(backOff, ended(126), 'x'),
      { initContainerName: '' },
      true,
    ],
    ['is not broken without statuses', {}, {}, false],
    ['is not broken with an empty status', { initContainerStatuses: [{}] }, {}, false],
    // The first crash counts: with restartPolicy Never there is no second one.
    ['is broken from its first crash on', validation(ended(126)), {}, true],
    ['is not broken by a first crash with another code', validation(ended(1)), {}, false],
    [
      'is not broken if it completed and any code is accepted',
      validation(completed),
      { initContainerExitCode: 0 },
      false,
    ],
    // Hostile or malformed statuses
    ['is not broken if the statuses are not a list', { initContainerStatuses: 'x' }, {}, false],
    ['is not broken if a status is not an object', { initContainerStatuses: [null, 3, []] }, {}, false],
    ['is not broken if the exit code is text', validation(backOff, { terminated: { exitCode: '126' } }), {}, false],
    ['is not broken if the status is null', null, {}, false],
  ])('%s', (_, status, more, expected) => {
    expect(isBroken(pod(status), { ...filter, ...more })).toBe(expected)
  })

  test.each([
    ['no such message', '', false],
    ['iptables validation failed', 'iptables validation failed', true],
    ['other', 'iptables validation failed', false],
    [' iptables validation failed\n', '\tiptables validation failed  ', true],
  ])('is broken only with the expected message, case %#: %j and %j', (wanted, message, expected) => {
    const status = validation(backOff, ended(126, { message }))
    expect(isBroken(pod(status), { ...filter, initContainerTerminationMessage: wanted })).toBe(expected)
    expect(
      isBroken(pod(validation(ended(126, { message }))), { ...filter, initContainerTerminationMessage: wanted }),
    ).toBe(expected)
  })

  test('is broken only with the annotation, whatever its value', () => {
    const status = validation(backOff, ended(126))
    expect(isBroken(pod(status, {}), filter)).toBe(false)
    expect(isBroken(pod(status, { 'sidecar.istio.io/status': null }), filter)).toBe(true)
    expect(isBroken(pod(status, {}), { ...filter, sidecarAnnotation: '' })).toBe(true)
    expect(isBroken(pod(status, {}), { ...filter, sidecarAnnotation: 'toString' })).toBe(false)
  })
})
