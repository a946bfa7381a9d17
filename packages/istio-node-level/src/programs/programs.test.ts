import { describe, expect, it } from 'vitest'
import { checkProgram } from '../asm/program.ts'
import { toText } from '../asm/to-text.ts'
import { programs } from './programs.ts'

describe.each(Object.entries(programs))('%s', (pin, text) => {
  it('passes the checks of all kernels since 5.7', () => {
    expect(() => checkProgram(text)).not.toThrow()
  })

  it('has a name that kernels accept', () => {
    expect(text.name).toMatch(/^[A-Za-z0-9_.]{1,15}$/)
  })

  it('has the reviewed text', async () => {
    await expect(toText(text)).toMatchFileSnapshot(`text/${pin}.txt`)
  })
})
