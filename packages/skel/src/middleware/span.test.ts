import { type CallContext, definePlugin, span, use } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`

async function traced(env: CallContext['env'], fail = false) {
  let seen: { span?: NonNullable<CallContext['span']>; env: CallContext['env'] } | undefined
  const plugin = definePlugin({
    name: 'p',
    add(c) {
      seen = c
      c.log.info('inside')
      if (fail) throw new Error('boom')
      return {}
    },
  })
  const { log } = await testPlugin(use(plugin, span())).add({ env })
  return { span: seen?.span, env: seen?.env ?? {}, log }
}

describe('a call within a trace', () => {
  it('is a new span, which handlers and delegates see', async () => {
    const { span: own, env } = await traced({ TRACEPARENT, TRACESTATE: 'a=b, c@d=e f', BAGGAGE: 'user = x;p=1' })
    expect(own).toEqual({
      traceId: TRACE,
      parentId: PARENT,
      spanId: expect.stringMatching(/^(?!0+$|00f067aa0ba902b7)[\da-f]{16}$/),
      sampled: true,
    })
    expect(env).toMatchObject({
      TRACEPARENT: `00-${TRACE}-${own?.spanId}-01`,
      TRACESTATE: 'a=b, c@d=e f',
      BAGGAGE: 'user = x;p=1',
      CNI_COMMAND: 'ADD',
    })
  })

  it('has its ids on every log line, also on the failure of the call', async () => {
    const { span: own, log } = await traced({ TRACEPARENT }, true)
    const ids = { trace_id: TRACE, span_id: own?.spanId }
    expect(log).toMatchObject([
      { msg: 'inside', ...ids },
      { msg: 'boom', ...ids },
    ])
  })

  it.each([
    ['later version', `01-${TRACE}-${PARENT}-07-what-else`, 3],
    ['not sampled', `00-${TRACE}-${PARENT}-00`, 0],
    ['unknown flags', `00-${TRACE}-${PARENT}-fc`, 0],
  ])('%s', async (_title, text, flags) => {
    const { span: own, env } = await traced({ TRACEPARENT: text })
    expect(own?.sampled).toBe((flags & 1) === 1)
    expect(env.TRACEPARENT).toBe(`00-${TRACE}-${own?.spanId}-0${flags}`)
  })
})

describe('malformed variables are not passed on', () => {
  it.each([
    '',
    'x',
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01\n`,
  ])('TRACEPARENT %j', async (text) => {
    const { span: own, env, log } = await traced({ TRACEPARENT: text, TRACESTATE: 'a=b', BAGGAGE: 'a=b' })
    expect(own).toBeUndefined()
    expect([env.TRACEPARENT, env.TRACESTATE, env.BAGGAGE]).toEqual([undefined, undefined, 'a=b'])
    expect(log[0]).not.toHaveProperty('trace_id')
  })

  it.each([
    'a',
    'a=b,a=c',
    'A=b',
    'a=b\n',
    'a==',
    `a=${'x'.repeat(257)}`,
    Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(','),
  ])('TRACESTATE %j', async (TRACESTATE) => {
    expect((await traced({ TRACEPARENT, TRACESTATE })).env.TRACESTATE).toBeUndefined()
  })

  it.each(['', 'a', 'a=b c', 'a="b"', 'a=b;;', 'ä=b', 'a=b\nc=d', `a=${'x'.repeat(8192)}`])(
    'BAGGAGE %j',
    async (BAGGAGE) => {
      expect((await traced({ TRACEPARENT, BAGGAGE })).env.BAGGAGE).toBeUndefined()
    },
  )

  it('without a trace there is no span', async () => {
    const { span: own, env } = await traced({})
    expect(own).toBeUndefined()
    expect(Object.keys(env).filter((name) => !name.startsWith('CNI_'))).toEqual([])
  })
})
