import { Ajv } from 'ajv'

const ajv = new Ajv({ allErrors: true, useDefaults: true })
const validate = ajv.compile({
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 2 }, port: { type: 'integer', default: 80 }, kind: { enum: ['a', 'b'] } },
  additionalProperties: false,
})
const value = { name: 'pod' }
console.log(validate(value), JSON.stringify(value), validate({ name: 'x', kind: 'c', other: 1 }), ajv.errorsText(validate.errors))
ajv.addKeyword({ keyword: 'even', validate: (_: boolean, n: number) => n % 2 === 0 })
console.log(ajv.validate({ even: true }, 2), ajv.validate({ even: true }, 3), ajv.constructor.name, validate.name)
try { ajv.compile({ type: 'nonsense' }) } catch (error) { console.log((error as Error).name, (error as Error).message.slice(0, 40)) }
