import { attributeMap, type NetlinkError, readU32 } from '@cni/netns/netlink'
import { SetError } from '../errors.ts'
import { ATTR_LINENO, CMD_ADD, CMD_DEL, CMD_SWAP, CMD_TEST, type IpsetRequest, NFGENMSG, NLMSGHDR } from './protocol.ts'

/** Converts ip_set's refusal of a request to a `SetError`. */
export function refused(request: IpsetRequest, error: NetlinkError): SetError {
  const { errno, code: name, text } = error.refusal
  const [code, why] = meaning(request, errno) ?? ['EXIT', undefined]
  const reason = [errno < IPSET_ERR_PRIVATE ? name : `error ${errno}`, text, why].filter((each) => each !== undefined)
  return new SetError(code, `${aboutEntry(request, error) ?? request.what}: ${reason.join(', ')}`, { cause: error })
}

/** Error for a kernel without the module ip_set. Without this module, nfnetlink has no subsystem for sets. */
export const noIpSet = (what: string, cause: unknown): SetError =>
  new SetError('NO_KERNEL', `${what}: the kernel has no ip_set; load the kernel module ip_set`, { cause })

/** Error number of ip_set: an entry to add exists already, or an entry to delete is missing. */
export const IPSET_ERR_EXIST = 4103

// internal

/** Describes the refused entry. The kernel's error repeats the request, with the number of this entry. */
function aboutEntry({ about }: IpsetRequest, { refusal: { request } }: NetlinkError): string | undefined {
  if (about === undefined || request === undefined) return undefined
  try {
    const number = readU32(attributeMap(request, NLMSGHDR + NFGENMSG).get(ATTR_LINENO))
    // Number 0 instead of an entry's number means that the kernel refused the whole request.
    return number === undefined || number === 0 ? undefined : about(number)
  } catch {
    // Describes no entry, because the kernel's answer cannot be decoded.
    return undefined
  }
}

type Meaning = readonly [SetError['code'], string]

const IPSET_ERR_PRIVATE = 4096
const IPSET_ERR_TYPE_SPECIFIC = 4352

function meaning({ command, type = '' }: IpsetRequest, errno: number): Meaning | undefined {
  if (errno >= IPSET_ERR_TYPE_SPECIFIC) return ofType.get(type.split(':', 1)[0] ?? '')?.get(errno)
  const known = general.get(errno)
  return typeof known === 'function' ? known(command) : known
}

const invalid = (why: string): Meaning => ['INVALID', why]

const inUse: Meaning = ['IN_USE', 'it is in use; remove the rules and sets that refer to it first']

const general = new Map<number, Meaning | ((command: number) => Meaning)>([
  [1, ['EXIT', 'CAP_NET_ADMIN in the namespace is needed']],
  [2, ['NOT_FOUND', 'the set does not exist; create it first']],
  [12, ['EXIT', 'the kernel has not enough memory']],
  [16, inUse],
  [17, ['EXISTS', 'a set of that name exists; if its options differ, destroy it first, or replace it']],
  [
    4097,
    (command) =>
      [CMD_ADD, CMD_DEL, CMD_TEST].includes(command)
        ? ['INVALID', 'it does not fit the family of the set']
        : ['EXIT', 'the kernel does not understand the message'],
  ],
  [4098, ['NO_KERNEL', 'the kernel lacks the module of this type of set, or the module is too old']],
  [4099, ['FULL', 'the kernel has no room for another set']],
  [4100, inUse],
  [
    4101,
    (command) =>
      command === CMD_SWAP
        ? ['NOT_FOUND', 'the second set does not exist']
        : ['EXISTS', 'a set with the new name exists already'],
  ],
  [4102, invalid('sets of two types or families cannot be swapped')],
  [
    IPSET_ERR_EXIST,
    (command) => (command === CMD_DEL ? ['NOT_FOUND', 'it is not in the set'] : ['EXISTS', 'it is in the set already']),
  ],
  [4107, invalid('the set was made without time-outs')],
  [4108, inUse],
  [4112, invalid('the set was made without comments')],
])

/** Meanings of ip_set's type-dependent error numbers, by the first word of the type. */
const ofType: ReadonlyMap<string, ReadonlyMap<number, Meaning>> = new Map([
  [
    'hash',
    new Map([
      [4352, ['FULL', 'the set is full; raise maxelem']],
      [4353, invalid('the kernel does not store an address of zeros')],
    ]),
  ],
  ['bitmap', new Map([[4352, invalid("it is out of the set's range")]])],
  [
    'list',
    new Map([
      [4352, ['NOT_FOUND', 'there is no set of that name']],
      [4353, invalid('a list of sets cannot be in another')],
      [4356, ['FULL', 'the list is full']],
    ]),
  ],
])
