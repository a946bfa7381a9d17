import { expect, test } from 'vitest'
import { flattenNft } from './nft-lines.ts'

test('every line of a ruleset says where it is', () => {
  const text = 'table ip a {\n\tchain b {\n\t\t# a comment\n\t\taccept\n\t}\n\tset s {\n\t}\n}\ntable ip6 a {\n}\n'
  expect(flattenNft(text)).toEqual([
    'nft table ip a',
    'nft table ip a / chain b',
    'nft table ip a / chain b / accept',
    'nft table ip a / set s',
    'nft table ip6 a',
  ])
})
