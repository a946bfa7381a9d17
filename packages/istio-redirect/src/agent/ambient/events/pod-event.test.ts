import fc from 'fast-check'
import { expect, test } from 'vitest'
import { podEvent } from '../../../plugin/ambient-event.ts'
import { PodEventError, readPodEvent } from './pod-event.ts'

test('the event of our plugin is parsed', () => {
  const ips = [{ address: '10.1.2.3/24', gateway: '10.1.2.1', interface: 2 }, { address: 'fd00::3/64' }]
  const body = podEvent({ netns: '/run/netns/cni-1', pod: { namespace: 'shop', name: 'web' }, ips })
  expect(readPodEvent(body)).toEqual({
    namespace: 'shop',
    name: 'web',
    netns: '/run/netns/cni-1',
    addresses: ['10.1.2.3', 'fd00::3'],
  })
})

const empty = { namespace: '', name: '', netns: '', addresses: [] }

test.each([
  ['null', empty],
  ['{}', empty],
  ['{"IPs":null}', empty],
  ['{"IPs":[]}', empty],
  ['{"other":[1]}', empty],
  ['{"podname":"p","PODNAMESPACE":"n","netns":"/x"}', { ...empty, name: 'p', namespace: 'n', netns: '/x' }],
  ['{"IPs":[{"Address":{"IP":"::ffff:10.0.0.1"}},{"Address":null}]}', { ...empty, addresses: ['10.0.0.1'] }],
])('%s is a valid event', (body, event) => {
  expect(readPodEvent(body)).toEqual(event)
})

test.each([
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"PodName":"a', 'unexpected end of JSON input'],
  ['{} y', "invalid character 'y' after top-level value"],
  ['{"PodName":"a"}}', "invalid character '}' after top-level value"],
  ['[]', /^json: cannot unmarshal array into Go value of type /],
  ['"a"', /^json: cannot unmarshal string /],
  ['{"PodName":1}', 'json: cannot unmarshal number into Go struct field PodName of type string'],
  ['{"IPs":{}}', 'json: cannot unmarshal object into Go struct field IPs of type []IPConfig'],
  ['{"IPs":[{"Address":{"IP":"x"}}]}', 'invalid IP address: x'],
  ['{x}', 'it is not JSON'],
])('%s is refused with a reason', (body, message) => {
  expect(() => readPodEvent(body)).toThrow(PodEventError)
  expect(() => readPodEvent(body)).toThrow(message)
})

test('any body is an event or a PodEventError', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((text) => `{"IPs":${text}}`),
      ),
      (body) => {
        try {
          expect(Array.isArray(readPodEvent(body).addresses)).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(PodEventError)
        }
      },
    ),
  )
})
