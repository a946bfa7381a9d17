import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rulesets } from '../../test/random/arbitrary-rulesets.ts'
import { rows } from '../../test/wire/rule-rows.ts'
import { printRuleset } from '../print/print-ruleset.ts'
import { ruleText } from '../print/rule.ts'
import type { Ruleset } from '../rules/model.ts'
import { isNftError } from '../wire/nft-error.ts'
import { parseListing } from './parse-listing.ts'

const listing = `# Warning: table ip nat is managed by iptables-nft, do not touch!
table ip nat {
	chain OUTPUT {
		type nat hook output priority -100; policy accept;
		meta l4proto tcp counter packets 3 bytes 180 xt target "REDIRECT" # handle 4
	}
}
table bridge b {
	chain c {
		ether type ip accept
	}
}
table inet ex {
	set nets {
		type ipv4_addr
		flags interval
		elements = { 10.0.0.0/8, 172.16.0.1,
			     192.168.0.0-192.168.0.9 }
	}

	set pairs {
		type ipv4_addr . inet_service
	}

	chain out {
		comment "mine"
		type filter hook output priority filter + 5; policy drop;
		oifname "eth*" ip daddr @nets tcp dport { 80, 443, 8000-8010 } counter packets 7 bytes 9 jump sub comment "x { y"
		meta mark & 0x000000ff == 0x00000001 ct state established,related accept
		meta l4proto tcp ip6 daddr fd00::/8 tproxy ip6 to [::1]:15001 meta mark set 0x00000539
		tcp flags syn / fin,syn,rst,ack log prefix "new: " accept
	}

	chain sub {
		meta l4proto udp dnat ip to 10.0.0.1:80
	}
}
`

describe('a listing of nft list ruleset', () => {
  test('is parsed; unknown words become raw', () => {
    const { tables } = parseListing(listing)
    expect(printRuleset({ tables })).toBe(`table ip nat {
	chain OUTPUT {
		type nat hook output priority -100; policy accept;
		meta l4proto tcp counter packets 3 bytes 180 [xt target "REDIRECT"]
	}
}
table inet ex {
	set nets {
		type ipv4_addr
		flags interval
		elements = { 10.0.0.0/8, 172.16.0.1,
			     192.168.0.0-192.168.0.9 }
	}

	chain out {
		type filter hook output priority filter + 5; policy drop;
		oifname "eth*" ip daddr @nets tcp dport { 80, 443, 8000-8010 } counter packets 7 bytes 9 jump sub comment "x { y"
		meta mark & 0x000000ff == 0x00000001 ct state established,related accept
		meta l4proto tcp ip6 daddr fd00::/8 tproxy ip6 to [::1]:15001 meta mark set 0x00000539
		[tcp flags syn / fin,syn,rst,ack log prefix "new: " accept]
	}

	chain sub {
		meta l4proto udp dnat ip to 10.0.0.1:80
	}
}
`)
  })

  /** Replaces a set of one key by that key, as nft does. */
  const plain = (text: string) => text.replace(/\{ ([^,{}]*) \}/g, '$1')

  /** Number of rules that are parsed completely. Checks that each prints as before. */
  function understood(rules: Ruleset): number {
    let count = 0
    const again = parseListing(printRuleset(rules))
    const names = ({ tables }: Ruleset) => tables.map(({ name, chains }) => [name, chains.map((each) => each.name)])
    expect(names(again)).toEqual(names(rules))
    for (const [at, { family, chains }] of again.tables.entries()) {
      for (const [index, chain] of chains.entries()) {
        const given = rules.tables[at]?.chains[index]
        expect(chain.base).toEqual(given?.base)
        expect(chain.rules).toHaveLength(given?.rules.length ?? 0)
        for (const [number, rule] of chain.rules.entries()) {
          if (rule.statements.some(({ kind }) => kind === 'raw')) continue
          const wanted = given?.rules[number]
          expect(plain(ruleText(rule, family))).toBe(wanted && plain(ruleText(wanted, family)))
          count += 1
        }
      }
    }
    return count
  }

  test('rules of all kinds parse to the same rules, or become raw from an unknown word on', () => {
    const found = rows.map(({ rules }) => understood(rules))
    expect(found.filter((count) => count > 0).length).toBeGreaterThan(rows.length / 2)
  })

  test('random rulesets parse to the same rulesets', () => {
    fc.assert(fc.property(rulesets, (rules) => void understood(rules)))
  })

  test.each([
    ['chain c { }', 'line 1: expected "table", found "chain"'],
    ['table inet x {\n chain c {\n accept\n', 'line 3: expected "}", found the end'],
    ['table inet x', 'line 1: expected "{", found the end'],
  ])('an invalid listing %j throws with the line number', (text, message) => {
    expect(() => parseListing(text)).toThrow(message)
  })

  test('any text is parsed, or throws an NftError', () => {
    const word = fc.constantFrom('table', 'inet', 'chain', '{', '}', ';', '\n', 'set', '"', '"x"', 'tcp', 'dport', '80', '@', '&', '==', 'elements', '=', 'type', 'jump', 'to', 'dnat', ',') // biome-ignore format: a list
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 60 }).map((list) => list.join(' ')),
        ),
        (text) => {
          try {
            parseListing(text)
          } catch (error) {
            expect(isNftError(error)).toBe(true)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })
})
