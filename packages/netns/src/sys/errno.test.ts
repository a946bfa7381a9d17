import { constants } from 'node:os'
import { expect, test } from 'vitest'
import { errnoName } from './errno.ts'

// Second names of a number. Linux prints the other name.
const others = ['EWOULDBLOCK', 'ENOTSUP']

test.each(Object.entries(constants.errno).filter(([name]) => !others.includes(name)))(
  '%s has the number %i',
  (name, errno) => {
    expect(errnoName(errno)).toBe(name)
  },
)

test.each([
  [44, 'ECHRNG'],
  [59, 'EBFONT'],
  [85, 'ERESTART'],
  [96, 'EPFNOSUPPORT'],
  [108, 'ESHUTDOWN'],
  [133, 'EHWPOISON'],
  [524, 'ENOTSUPP'],
])('errno %i, which node:os lacks, is named %s', (errno, name) => {
  expect(errnoName(errno)).toBe(name)
})

test.each([0, 41, 58, 134, 9999, -1])('%i has no name', (errno) => {
  expect(errnoName(errno)).toBe(`ERRNO_${errno}`)
})
