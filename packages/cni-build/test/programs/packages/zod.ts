import { ZodError } from 'zod'
import * as z from 'zod/mini'
import * as full from 'zod'

const schema = z.object({ port: z.int().check(z.positive()), name: z.optional(z.string()), tags: z.array(z.enum(['a', 'b'])) })
console.log(JSON.stringify(schema.parse({ port: 1, tags: ['a'] })), JSON.stringify(schema.safeParse({ port: -1, tags: ['c'], name: 1 }).error?.issues))
const user = full.object({ email: full.email(), at: full.coerce.date() }).transform((u) => ({ ...u, at: u.at.toISOString() }))
console.log(JSON.stringify(user.parse({ email: 'a@b.cd', at: 0 })), full.prettifyError(user.safeParse({ email: 'x' }).error as ZodError))
try { schema.parse(1) } catch (error: any) { console.log(error.name, error.constructor.name, error instanceof ZodError) }
console.log(JSON.stringify(full.toJSONSchema(full.union([full.string(), full.number()]))))
