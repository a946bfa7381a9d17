import { describe, expect, it } from 'vitest'
import { checkProgram } from '../asm/program.ts'
import { toText } from '../asm/to-text.ts'
import { programs } from './programs.ts'

describe.each(Object.entries(programs))('%s', (pin, text) => {
  it('has nothing that a kernel since 5.7 refuses', () => {
    expect(() => checkProgram(text)).not.toThrow()
  })

  it('has a name that kernels take', () => {
    expect(text.name).toMatch(/^[A-Za-z0-9_.]{1,15}$/)
  })

  it('reads as it was reviewed', async () => {
    await expect(toText(text)).toMatchFileSnapshot(`text/${pin}.txt`)
  })
})
