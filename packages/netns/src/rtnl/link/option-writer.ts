import { NetnsError } from '../../handle/netns-error.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { be16, u16, u32 } from '../../netlink/values.ts'
import { checkInteger, shown } from '../check.ts'
import { parseAddress } from '../ip.ts'

/** Collects the options of a kind as attributes, checked; those that are not said are left out. */
export class OptionWriter {
  readonly attributes: Attribute[] = []
  readonly #prefix: string

  /** Messages call an option `bridge.vlanFiltering`. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  flag(type: number, name: string, value: boolean | undefined): this {
    return value === undefined ? this : this.#add(type, Uint8Array.of(this.#bit(name, value)))
  }

  flag32(type: number, name: string, value: boolean | undefined): this {
    return value === undefined ? this : this.#add(type, u32(this.#bit(name, value)))
  }

  u8(type: number, name: string, value: number | undefined, most = 0xff): this {
    return value === undefined ? this : this.#add(type, Uint8Array.of(this.#integer(name, value, most)))
  }

  u16(type: number, name: string, value: number | undefined, most = 0xffff): this {
    return value === undefined ? this : this.#add(type, u16(this.#integer(name, value, most)))
  }

  u32(type: number, name: string, value: number | undefined, most = 0xffffffff): this {
    return value === undefined ? this : this.#add(type, u32(this.#integer(name, value, most)))
  }

  be16(type: number, name: string, value: number | undefined): this {
    return value === undefined ? this : this.#add(type, be16(this.#integer(name, value, 0xffff)))
  }

  /** Seconds, which the kernel counts in hundredths. */
  seconds(type: number, name: string, value: number | undefined): this {
    if (value === undefined) return this
    if (typeof value !== 'number' || !(value >= 0 && value <= 40_000_000)) throw this.#refused(name, 'seconds', value)
    return this.#add(type, u32(Math.round(value * 100)))
  }

  address(type4: number, type6: number, name: string, value: string | undefined): this {
    if (value === undefined) return this
    const { family, bytes } = this.#parse(name, value)
    return this.#add(family === 'ipv4' ? type4 : type6, Uint8Array.from(bytes))
  }

  /** One of several words, each with its number. */
  choice<Word extends string>(
    name: string,
    value: Word | undefined,
    numbers: Readonly<Record<Word, number>>,
    add: (number: number) => Attribute,
  ): this {
    if (value === undefined) return this
    if (!Object.hasOwn(numbers, value)) throw this.#refused(name, `one of ${Object.keys(numbers).join(', ')}`, value)
    this.attributes.push(add(numbers[value]))
    return this
  }

  #add(type: number, value: Uint8Array): this {
    this.attributes.push([type, value])
    return this
  }

  #bit(name: string, value: boolean): number {
    if (typeof value !== 'boolean') throw this.#refused(name, 'true or false', value)
    return Number(value)
  }

  #integer(name: string, value: number, most: number): number {
    return checkInteger(value, 0, most, `${this.#prefix}.${name}`)
  }

  #parse(name: string, value: string) {
    try {
      return parseAddress(value)
    } catch {
      throw this.#refused(name, 'an IP address', value)
    }
  }

  #refused(name: string, expected: string, value: unknown): NetnsError {
    return new NetnsError('INVALID', `${this.#prefix}.${name}: expected ${expected}, got ${shown(value)}`)
  }
}
