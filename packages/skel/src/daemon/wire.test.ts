import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCall, encodeCall } from './wire.ts'

const call = (members: object): string => JSON.stringify({ env: {}, config: '', ...members })

describe('an encoded call', () => {
  it('is decoded to the same call, whatever bytes the configuration has', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (config, args) => {
        const env = { CNI_COMMAND: 'ADD', CNI_ARGS: args }
        const decoded = decodeCall(encodeCall({ env, config }))
        expect(decoded.env).toEqual(env)
        expect([...decoded.config]).toEqual([...config])
      }),
    )
  })

  it('contains only the variables of the specification and the trace context', () => {
    const env = {
      CNI_COMMAND: 'ADD',
      CNI_PATH: undefined,
      TRACEPARENT: '00-a-b-01',
      HOME: '/root',
      CNI_TOKEN: 'secret',
    }
    const body = encodeCall({ env, config: new Uint8Array() })
    expect(JSON.parse(body).env).toEqual({ CNI_COMMAND: 'ADD', TRACEPARENT: '00-a-b-01' })
  })

  it('loses other variables when it is decoded', () => {
    const { env } = decodeCall(
      '{"env":{"CNI_COMMAND":"ADD","PATH":"/tmp","NODE_OPTIONS":5,"__proto__":{"CNI_ARGS":"x"}},"config":""}',
    )
    expect(env).toEqual({ CNI_COMMAND: 'ADD' })
  })

  it('is decoded or rejected with code 6', () => {
    const member = fc.oneof(
      fc.json(),
      fc.base64String().map((text) => JSON.stringify(text)),
    )
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.tuple(member, member).map(([env, config]) => `{"env":${env},"config":${config}}`),
    )
    fc.assert(
      fc.property(body, (text) => {
        try {
          for (const value of Object.values(decodeCall(text).env)) expect(value).toBeTypeOf('string')
        } catch (error) {
          expect(error).toMatchObject({ name: 'CniError', code: 6 })
        }
      }),
    )
  })

  it.each([
    ['invalid JSON', '{"token":"s3cret"', 'the call is no JSON (17 characters)'],
    ['a list', '[]', 'the call: expected an object, got array'],
    ['null', 'null', 'the call: expected an object, got null'],
    ['a missing environment', '{"config":""}', 'env: expected an object, got undefined'],
    [
      'a variable that is not a string',
      call({ env: { CNI_IFNAME: 5 } }),
      'env.CNI_IFNAME: expected a string, got number',
    ],
    ['a missing configuration', '{"env":{}}', 'config: expected base64, got undefined'],
    ['a configuration that is not base64', call({ config: '{}' }), 'config: the base64 is invalid'],
  ])('%s is rejected with code 6, and the message names the member', (_title, body, message) => {
    expect(() => decodeCall(body)).toThrow(expect.objectContaining({ code: 6, message }))
  })
})
