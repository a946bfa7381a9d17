import debug from 'debug'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  vi.resetModules()
})

/** Output of these steps on stderr, with `DEBUG` set to `pattern`. */
async function traced(pattern: string, steps: (debugFor: typeof import('./debug-for.ts').debugFor) => void) {
  vi.stubEnv('DEBUG', pattern)
  vi.resetModules()
  // The package reads the variable once, when it is loaded.
  debug.enable(pattern)
  let text = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  const { debugFor } = await import('./debug-for.ts')
  steps(debugFor)
  await vi.dynamicImportSettled()
  return text
}

test.each(['', '*', '1', 'express:*'])(
  'with DEBUG=%j there is no trace, and its arguments are not evaluated',
  async (value) => {
    vi.stubEnv('DEBUG', value)
    const { debugFor } = await import('./debug-for.ts')
    const evaluated = vi.fn()
    debugFor('x')?.('step', { value: evaluated() })
    expect(evaluated).not.toHaveBeenCalled()
  },
)

test('DEBUG=cni:* prints each step with its area and values, in order, also steps before the package is loaded', async () => {
  const text = await traced('cni:*', (debugFor) => {
    debugFor('one')?.('first', { n: 1, ms: 1.234, name: 'eth0', nothing: undefined })
    debugFor('two')?.('second', { error: new Error('refused') })
  })
  expect(text).toMatch(/cni:one first n=1 ms=1\.23 name="eth0"\n.*cni:two second error="refused"/s)
})

test('names are selected as in the package debug', async () => {
  const text = await traced('cni:*,-cni:quiet', (debugFor) => {
    debugFor('quiet')?.('not this')
    debugFor('loud')?.('but this')
  })
  expect(text).not.toContain('not this')
  expect(text).toContain('but this')
})

test.each([
  ['colours and cursors', '\u001b[2J\u009b1m', '\\u001b[2J\\u009b1m'],
  ['line breaks', 'a\nb', 'a\\nb'],
  ['text that is turned around', '\u202egpj', '\\u202egpj'],
  ['formats of the package', '%s %o %%', '%s %o %%'],
])('a name with hostile characters prints none of its %s', async (_what, name, shown) => {
  const text = await traced('cni:*', (debugFor) => debugFor('kube')?.('GET', { name }))
  expect(text).toContain(`name="${shown}"`)
  expect(text.trimEnd()).toMatch(/^[\x20-\x7e]*$/)
})
