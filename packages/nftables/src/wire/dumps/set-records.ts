import type { Family } from '../family.ts'
import { decodeFields } from '../fields/fields.ts'
import { elementsFields, setFields } from '../fields/set-fields.ts'
import type { Verdict } from '../fields/verdict.ts'
import { NFGENMSG } from '../messages.ts'
import type { ElementSpec, SetName, SetSpec } from '../specs.ts'
import { withComment } from '../userdata.ts'
import type { NftTable } from './records.ts'

/** Set or map as the kernel reports it in a list or event. */
export interface NftSet extends SetName, Pick<NftTable, 'comment' | 'userdata'> {
  readonly handle: bigint
  readonly flags?: NonNullable<SetSpec['flags']>
  readonly keyType: number
  readonly keyLength: number
  readonly dataType?: number | 'verdict'
  readonly dataLength?: number
  readonly size?: number
  readonly concat?: readonly number[]
  readonly timeout?: bigint
}

/** Set element as the kernel reports it in a list, or in an event about its creation or deletion. */
export interface NftElement extends Pick<NftTable, 'comment' | 'userdata'> {
  readonly key?: Uint8Array
  readonly keyEnd?: Uint8Array
  readonly data?: Uint8Array | Verdict
  readonly flags?: NonNullable<ElementSpec['flags']>
  readonly timeout?: bigint
  /** Milliseconds until the set element expires. */
  readonly expiration?: bigint
}

export function setIn(family: Family, body: Buffer): NftSet {
  const read = withComment(decodeFields(setFields, body, NFGENMSG), 'set')
  const { description, structure: _, count: __, ...set } = read
  const { size, concat } = description ?? {}
  return {
    ...{ family, ...set },
    ...(size === undefined ? {} : { size }),
    ...(concat === undefined ? {} : { concat: concat.map(({ length }) => length) }),
  }
}

/** Set elements in a netlink message, and the set to which they belong. */
export function elementsIn(family: Family, body: Buffer): { readonly set: SetName; readonly elements: NftElement[] } {
  const { table, set, elements = [] } = decodeFields(elementsFields, body, NFGENMSG)
  return { set: { family, table, set }, elements: elements.map((element) => withComment(element, 'element')) }
}
