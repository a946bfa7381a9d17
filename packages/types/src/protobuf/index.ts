/**
 * Encoder and decoder for the protobuf wire format, without a schema. Supports varints and length-delimited fields.
 *
 * @example
 * ```ts
 * import { fieldsOf, numberField, textField } from '@cni/types/protobuf'
 *
 * const message = Buffer.concat([textField(1, 'web'), numberField(2, 80)])
 * export const numbers = Array.from(fieldsOf(message), ({ number }) => number) // 1, 2
 * ```
 *
 * @module
 */

export {
  type Field,
  fieldsOf,
  lengthDelimited,
  messageIn,
  numberField,
  ProtobufError,
  textField,
  textOf,
} from './protobuf.ts'
