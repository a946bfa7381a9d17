import { attributeMap, decodeAttributes, readBe32, readCString } from '@cni/netns/netlink'
import { NLM_F_EXCL } from '../wire/netlink-flags.ts'
import { NFT_MSG, NFTA_DESCRIPTION, NFTA_ELEMENT, NFTA_ELEMENTS, NFTA_SET } from './fake-numbers.ts'
import { elementBodies, setBody } from './fake-records.ts'
import { refuse } from './fake-refusal.ts'
import {
  type FakeElement,
  type FakeMessage,
  type FakeSet,
  type FakeTable,
  lookupsOf,
  put,
  without,
} from './fake-state.ts'

/** Attributes of a set that the fake reports even if they are 0, like the kernel. */
const COPIED_ATTRIBUTES = [
  ...[NFTA_SET.FLAGS, NFTA_SET.KEY_TYPE, NFTA_SET.KEY_LENGTH, NFTA_SET.DATA_TYPE, NFTA_SET.DATA_LENGTH],
  ...[NFTA_SET.TIMEOUT, NFTA_SET.USERDATA, NFTA_SET.DESCRIPTION],
] as const

const CONCAT = 0x80
const CONSTANT = 2

/** Changes a table of the fake kernel by a message that adds or deletes a set. */
export function changeSet(table: FakeTable, message: FakeMessage, notify: (body: Buffer) => void): FakeTable {
  const given = readCString(message.attributes.get(NFTA_SET.NAME)) ?? refuse('EINVAL')
  const found = table.sets.get(given)
  if (message.message === NFT_MSG.DELSET) {
    if (found === undefined) return refuse('ENOENT', message.body, NFTA_SET.NAME)
    if (lookupsOf(table, given) > 0) return refuse('EBUSY', message.body, NFTA_SET.NAME)
    notify(setBody(table, found))
    return { ...table, sets: without(table.sets, given) }
  }
  if (found !== undefined) {
    if ((message.flags & NLM_F_EXCL) !== 0) return refuse('EEXIST', message.body, NFTA_SET.NAME)
    notify(setBody(table, found))
    return table
  }
  // Refuses a message that adds a set without an id, as the kernel does.
  const id = readBe32(message.attributes.get(NFTA_SET.ID)) ?? refuse('EINVAL')
  const name = given.includes('%d') ? freeName(table, given) : given
  const flags = readBe32(message.attributes.get(NFTA_SET.FLAGS)) ?? 0
  const attributes = new Map(COPIED_ATTRIBUTES.flatMap((type) => pair(type, message.attributes.get(type))))
  const set: FakeSet = {
    ...{ name, flags, handle: table.nextHandle, attributes, elements: new Map() },
    id,
  }
  notify(setBody(table, set))
  return { ...table, nextHandle: table.nextHandle + 1n, sets: put(table.sets, name, set) }
}

function pair(type: number, value: Buffer | undefined): [number, Buffer][] {
  return value === undefined ? [] : [[type, value]]
}

function freeName(table: FakeTable, template: string): string {
  for (let number = 0; ; number++) {
    const name = template.replace('%d', String(number))
    if (!table.sets.has(name)) return name
  }
}

/** Changes a table of the fake kernel by a message that adds or deletes set elements. */
export function changeElements(table: FakeTable, message: FakeMessage, notify: (body: Buffer) => void): FakeTable {
  const name = readCString(message.attributes.get(NFTA_ELEMENTS.SET)) ?? ''
  const id = readBe32(message.attributes.get(NFTA_ELEMENTS.SET_ID))
  const byId = id === undefined ? undefined : [...table.sets.values()].find((each) => each.id === id)
  const set = table.sets.get(name) ?? byId ?? refuse('ENOENT', message.body, NFTA_ELEMENTS.SET)
  const list = message.attributes.get(NFTA_ELEMENTS.ELEMENTS)
  const given =
    list === undefined ? [...set.elements.values()] : decodeAttributes(list).map(([, each]) => attributeMap(each))
  if ((set.flags & CONSTANT) !== 0 && lookupsOf(table, set.name) > 0)
    return refuse('EBUSY', message.body, NFTA_ELEMENTS.SET)
  const elements = new Map(set.elements)
  for (const each of given) {
    if (message.message === NFT_MSG.NEWSETELEM) add(elements, each, message, set)
    else if (!elements.delete(keyOf(each))) return refuse('ENOENT')
  }
  // Reports no addition of an element that exists already, as the kernel does.
  const changed =
    message.message === NFT_MSG.NEWSETELEM ? given.filter((each) => !set.elements.has(keyOf(each))) : given
  for (const each of elementBodies(table, set, changed)) notify(each)
  return { ...table, sets: put(table.sets, set.name, { ...set, elements }) }
}

const keyOf = (element: FakeElement) =>
  [NFTA_ELEMENT.KEY, NFTA_ELEMENT.KEY_END, NFTA_ELEMENT.FLAGS].map((type) => element.get(type)?.toString('hex')).join()

function add(elements: Map<string, FakeElement>, element: FakeElement, { flags }: FakeMessage, set: FakeSet): void {
  checkKey(element, set)
  const key = keyOf(element)
  const found = elements.get(key)
  if (found === undefined) {
    if (elements.size >= sizeOf(set)) refuse('ENFILE')
    elements.set(key, element)
    return
  }
  const same = found.get(NFTA_ELEMENT.DATA)?.toString('hex') === element.get(NFTA_ELEMENT.DATA)?.toString('hex')
  if (!same || (flags & NLM_F_EXCL) !== 0) refuse('EEXIST')
}

function checkKey(element: FakeElement, { attributes, flags }: FakeSet): void {
  const key = element.get(NFTA_ELEMENT.KEY)
  const length = readBe32(attributes.get(NFTA_SET.KEY_LENGTH)) ?? 0
  const value = key === undefined ? undefined : attributeMap(key).get(1)
  if (value !== undefined && value.length !== length) refuse('EINVAL')
  if ((flags & CONCAT) !== 0 && element.has(NFTA_ELEMENT.KEY) && !element.has(NFTA_ELEMENT.KEY_END)) refuse('EINVAL')
}

function sizeOf({ attributes }: FakeSet): number {
  const description = attributes.get(NFTA_SET.DESCRIPTION)
  const size = description === undefined ? undefined : readBe32(attributeMap(description).get(NFTA_DESCRIPTION.SIZE))
  return size ?? Number.POSITIVE_INFINITY
}
