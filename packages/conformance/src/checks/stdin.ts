import type { Check } from '../check.ts'
import { expectFailure } from '../judge/expect-failure.ts'
import { call, each } from './environment.ts'

const ERRORS = 'SPEC 1.1.0, section 5, "Error"'

/** Checks that the plugin rejects an invalid configuration on stdin. */
export const stdin: readonly Check[] = [
  {
    id: 'stdin.malformed',
    group: 'protocol',
    title: 'Fails with code 6 when stdin is not one JSON object',
    spec: `${ERRORS}: code 6`,
    async run(ctx) {
      const valid = JSON.stringify((await ctx.attach()).conf('ADD'))
      const vectors: ReadonlyArray<readonly [what: string, stdin: string | Uint8Array]> = [
        ['nothing on stdin', ''],
        ['"{" on stdin', '{'],
        ['"[]" on stdin', '[]'],
        ['a number on stdin', '5'],
        ['half a configuration', valid.slice(0, Math.floor(valid.length / 2))],
        ['a configuration with text after it', `${valid} trailing`],
        ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x00, 0x7b, 0x80)],
      ]
      await each(vectors, async ([what, given]) => {
        const exchange = await call(ctx, 'ADD', { stdin: given })
        expectFailure(ctx, exchange, { what, why: 'Half a configuration must not half configure a pod.', codes: [6] })
      })
    },
  },
  {
    id: 'stdin.name',
    group: 'protocol',
    title: 'Refuses a configuration without a name, or with one the specification does not allow, with code 7',
    spec: `SPEC 1.1.0, section 1: name; ${ERRORS}: code 7`,
    async run(ctx) {
      const why = 'Names of networks become names of files and chains.'
      await each([undefined, '', '-a', 'a b', 'a/b', '../a', 'é', 'a\n'], async (name) => {
        const exchange = await call(ctx, 'ADD', { conf: { name } })
        const what = name === undefined ? 'no name' : `name ${JSON.stringify(name)}`
        expectFailure(ctx, exchange, { what, why, codes: [7] })
      })
    },
  },
  {
    id: 'stdin.types',
    group: 'protocol',
    title: 'Refuses members of the wrong kind',
    spec: `SPEC 1.1.0, section 1; ${ERRORS}: codes 6 and 7`,
    async run(ctx) {
      await each([{ name: 5 }, { cniVersion: 5 }], async (conf) => {
        const exchange = await call(ctx, 'ADD', { conf })
        const why = 'The specification gives these members a type.'
        expectFailure(ctx, exchange, { what: JSON.stringify(conf), why, codes: [6, 7], codeSeverity: 'advice' })
      })
    },
  },
]
