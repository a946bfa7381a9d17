import { expect, test } from 'vitest'
import { argvText } from './argv-text.ts'

test.each([
  [['iptables-restore', '--noflush', '-w', '5'], 'iptables-restore --noflush -w 5'],
  [['sh', '-c', 'echo hi'], "sh -c 'echo hi'"],
  [['echo', ''], "echo ''"],
  [['echo', "it's"], "echo 'it'\\''s'"],
  [['echo', 'two\nlines'], "echo $'two\\nlines'"],
])('%j is printed as %s', (argv, expected) => {
  expect(argvText(argv)).toBe(expected)
})
