import { type AddContext, definePlugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { CniError } from '@cni/types'
import { describe, expect, it, vi } from 'vitest'

const forever = () => new Promise<never>(() => {})
/** Milliseconds: long enough to start a handler on a busy machine, as some tests need. */
const SHORT = 200

describe('the deadline', () => {
  it('ends a handler that never settles, with code 11', async () => {
    let signal: AbortSignal | undefined
    const plugin = definePlugin({
      name: 'p',
      timeout: SHORT,
      add(c) {
        signal = c.signal
        return forever()
      },
    })
    const { exitCode, error } = await testPlugin(plugin).add()
    expect({ exitCode, error }).toEqual({
      exitCode: 1,
      error: { cniVersion: '1.1.0', code: 11, msg: 'ADD did not finish within 200 ms' },
    })
    expect(signal?.aborted).toBe(true)
  })

  it('is 50 s by default, before containerd and CRI-O give up', async () => {
    vi.useFakeTimers()
    try {
      const errors: unknown[] = []
      void testPlugin(definePlugin({ name: 'p', add: forever }))
        .add()
        .then(({ error }) => errors.push(error))
      await vi.advanceTimersByTimeAsync(49_999)
      expect(errors).toEqual([])
      // Time for the handler to settle before its steps are undone.
      await vi.advanceTimersByTimeAsync(1000)
      expect(errors).toMatchObject([{ code: 11, msg: 'ADD did not finish within 50 s' }])
    } finally {
      vi.useRealTimers()
    }
  })

  it('applies to every verb, and to a stdin that never ends', async () => {
    const plugin = definePlugin({
      name: 'p',
      timeout: 20,
      add: forever,
      check: forever,
      del: forever,
      gc: forever,
      status: forever,
    })
    const outcomes = await Promise.all(['CHECK', 'DEL', 'GC', 'STATUS'].map((verb) => testPlugin(plugin).run(verb)))
    expect(outcomes.map(({ error }) => error?.code)).toEqual([11, 11, 11, 11])
    const { runPlugin } = await import('@cni/skel')
    const { stdout } = await runPlugin(plugin, { env: { CNI_COMMAND: 'GC', CNI_PATH: '/' }, stdin: forever })
    expect(JSON.parse(stdout)).toMatchObject({ code: 11, msg: 'GC did not finish within 20 ms' })
  })

  it("determines the error, not the handler's own error after the abort", async () => {
    const plugin = definePlugin({
      name: 'p',
      timeout: SHORT,
      add: (c) =>
        new Promise((_, reject) => c.signal.addEventListener('abort', () => reject(new CniError(50, 'child killed')))),
    })
    expect((await testPlugin(plugin).add()).error?.code).toBe(11)
  })
})

describe('a signal from outside', () => {
  it('ends the call with code 11 and its reason', async () => {
    const controller = new AbortController()
    const plugin = definePlugin({
      name: 'p',
      add() {
        controller.abort(new Error('node is going down'))
        return forever()
      },
    })
    const { error } = await testPlugin(plugin).add({ signal: controller.signal })
    expect(error).toMatchObject({ code: 11, msg: 'ADD was interrupted: node is going down' })
  })

  it('keeps the code of its reason', async () => {
    const plugin = definePlugin({ name: 'p', add: forever })
    const signal = AbortSignal.abort(new CniError(999, 'x is not a function'))
    expect((await testPlugin(plugin).add({ signal })).error).toMatchObject({ code: 999, msg: 'x is not a function' })
  })
})

describe('undo', () => {
  const failing = (steps: (undone: string[]) => Parameters<AddContext['undo']>[0][], fail: () => Promise<never>) => {
    const undone: string[] = []
    const plugin = definePlugin({
      name: 'p',
      // Only the endless handler needs a short deadline.
      ...(fail === forever && { timeout: SHORT }),
      add(c) {
        for (const step of steps(undone)) c.undo(step)
        return fail()
      },
    })
    return { undone, plugin }
  }
  const three = (undone: string[]): Parameters<AddContext['undo']>[0][] => [
    () => void undone.push('first'),
    async () => {
      await new Promise((resolve) => setImmediate(resolve))
      undone.push('second')
    },
    () => void undone.push('third'),
  ]

  it.each([
    ['the handler fails', () => Promise.reject(new CniError(7, 'no'))],
    ['the deadline passes', forever],
  ])('runs in reverse order when %s', async (_title, fail) => {
    const { plugin, undone } = failing(three, fail)
    await testPlugin(plugin).add()
    expect(undone).toEqual(['third', 'second', 'first'])
  })

  it('runs if the result is invalid', async () => {
    const undone: string[] = []
    const plugin = definePlugin({
      name: 'p',
      add(c) {
        c.undo(() => void undone.push('undone'))
        return { ips: [{ address: 'x' }] }
      },
    })
    await testPlugin(plugin).add()
    expect(undone).toEqual(['undone'])
  })

  it('does not run after a success', async () => {
    const undone: string[] = []
    const plugin = definePlugin({
      name: 'p',
      add(c) {
        c.undo(() => void undone.push('undone'))
        return {}
      },
    })
    expect((await testPlugin(plugin).add()).exitCode).toBe(0)
    expect(undone).toEqual([])
  })

  it('continues after a failed step, and reports the first error', async () => {
    const { plugin, undone } = failing(
      (list) => [() => void list.push('first'), () => Promise.reject(new Error('cannot'))],
      () => Promise.reject(new CniError(7, 'no')),
    )
    const { error, log } = await testPlugin(plugin).add()
    expect(error).toMatchObject({ code: 7, msg: 'no' })
    expect(undone).toEqual(['first'])
    expect(log).toMatchObject([{ level: 'warn', msg: 'an undo step failed' }, { level: 'error' }])
  })

  it('stops after 2 s: its signal aborts and the error document is printed', async () => {
    let aborted = false
    const { plugin, undone } = failing(
      (list) => [
        () => void list.push('never reached'),
        ({ signal }) => {
          signal.addEventListener('abort', () => {
            aborted = true
          })
          return forever()
        },
      ],
      () => Promise.reject(new CniError(7, 'no')),
    )
    const start = performance.now()
    const { error } = await testPlugin(plugin).add()
    expect(performance.now() - start).toBeGreaterThan(1900)
    expect({ code: error?.code, aborted, undone }).toEqual({ code: 7, aborted: true, undone: [] })
  })

  it("gives its steps a signal that is not aborted by the call's signal", async () => {
    const seen: boolean[] = []
    const { plugin } = failing(() => [({ signal }) => void seen.push(signal.aborted)], forever)
    await testPlugin(plugin).add()
    expect(seen).toEqual([false])
  })
})
