import { bytes, data, n32, n64, name, someOf, value } from './codec.ts'
import { indexed, listOf, may, maybeReported, must, nested, reported } from './fields.ts'
import type { AttributeWriter } from './writer.ts'

const NFT_DATA_VERDICT = 0xffffff00

/** Encoding of the data type of a map: nft's type number, or `verdict`. */
const dataType = {
  expected: `${n32.expected}, or verdict`,
  write: (writer: AttributeWriter, type: number, value: number | 'verdict') =>
    n32.write(writer, type, value === 'verdict' ? NFT_DATA_VERDICT : value),
  decode(read: Buffer): number | 'verdict' | undefined {
    const type = n32.decode(read)
    return type === NFT_DATA_VERDICT ? 'verdict' : type
  },
}

/** Netlink attributes of a set. */
export const setFields = indexed({
  table: must(1, name),
  set: must(2, name),
  handle: reported(16, n64),
  flags: may(
    3,
    someOf(['anonymous', 'constant', 'interval', 'map', 'timeout', 'dynamic', 'object', 'concat', 'expression']),
    [],
  ),
  keyType: must(4, n32),
  keyLength: must(5, n32),
  dataType: may(6, dataType),
  dataLength: may(7, n32),
  description: may(9, nested({ size: may(1, n32), concat: may(2, listOf(nested({ length: must(1, n32) }))) })),
  setId: may(10, n32),
  timeout: may(11, n64),
  userdata: may(13, bytes),
  /**
   * Attributes that only answers of the kernel contain: internal data structure of the set, and its number of elements.
   */
  structure: maybeReported(19, bytes),
  count: maybeReported(20, bytes),
})

/** Netlink attributes of a set element. */
export const elementFields = indexed({
  key: may(1, value),
  keyEnd: may(10, value),
  data: may(2, data),
  flags: may(3, someOf(['intervalEnd', 'catchAll'])),
  timeout: may(4, n64),
  expiration: maybeReported(5, n64),
  userdata: may(6, bytes),
})

/** Netlink attributes of a message about elements of a set. */
export const elementsFields = indexed({
  table: must(1, name),
  set: must(2, name),
  setId: may(4, n32),
  elements: may(3, listOf(nested(elementFields))),
})
