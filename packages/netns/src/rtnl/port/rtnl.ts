import type { IpFamily } from '@cni/types/ip'
import type { Netns, NetnsTarget } from '../../handle/netns.ts'
import type { Address, NewAddress } from './address.ts'
import type { Filter } from './filter.ts'
import type { Link, LinkRef, NewLink } from './link.ts'
import type { Neighbour } from './neighbour.ts'
import type { OnLink } from './on-link.ts'
import type { Qdisc } from './qdisc.ts'
import type { NewRoute, Route } from './route.ts'
import type { NewPolicyRule, PolicyRule } from './rule.ts'

/**
 * Links, addresses, routes, rules, neighbours, qdiscs and filters of one namespace. Code that configures them takes this port, so
 * that its tests can give it `fakeRtnl()`. Adding what is there, and deleting what is not, is no error and says so; adding what is there but
 * different is `EEXIST`. What was read (`Link`, `Address`, `Route`, `PolicyRule`) can be added and deleted as it is.
 * Errors are `NetnsError` with the errno name (`ENODEV`, `EPERM` …) and the kernel's own explanation, or `INVALID` for
 * what cannot be said to the kernel; nothing is half made then.
 */
export interface RtnlPort {
  getLinks(): Promise<Link[]>
  /** `undefined` when there is no such link. */
  getLink(link: LinkRef): Promise<Link | undefined>
  /** A link as read is made again. The kernel does not tell the name of a veth's other end: say `peer`. */
  addLink(
    link: Link & {
      readonly peer?: Extract<NewLink, { readonly kind: 'veth' }>['peer'] | undefined
      readonly netns?: Netns | undefined
    },
  ): Promise<{ added: boolean }>
  addLink(link: NewLink): Promise<{ added: boolean }>
  /** Changes what is said and not so yet. `before`: the link as it was. A change that fails half-way is taken back. */
  setLink(
    link: LinkRef,
    change: {
      /** A new name. Before Linux 6.2 only of a link that is down. */
      readonly name?: string | undefined
      /** The bridge or bond it becomes a port of; `null`: of none. */
      readonly master?: LinkRef | null | undefined
      readonly mtu?: number | undefined
      readonly mac?: string | undefined
      /** Where it goes. Its addresses and routes stay behind, and it arrives down unless `up` says otherwise. */
      readonly netns?: NetnsTarget | undefined
      readonly txqlen?: number | undefined
      readonly up?: boolean | undefined
      readonly promisc?: boolean | undefined
      readonly allmulti?: boolean | undefined
      readonly alias?: string | undefined
      /** Of a bridge. */
      readonly bridge?: Link['bridge']
      /** Of a VXLAN; connections through it go on. */
      readonly vxlan?: { /** New remote address, of the same family. */ readonly remote: string } | undefined
      /** Of a GENEVE tunnel; connections through it go on. */
      readonly geneve?: { /** New remote address, of the same family. */ readonly remote: string } | undefined
      /** Of a port of a bridge, the new `master` included. */
      readonly bridgePort?: Link['bridgePort']
    },
  ): Promise<{ changed: boolean; before: Link }>
  deleteLink(link: LinkRef): Promise<{ deleted: boolean }>
  setLinkUp(link: LinkRef): Promise<void>
  setLinkDown(link: LinkRef): Promise<void>
  getAddresses(filter?: {
    readonly link?: LinkRef
    readonly family?: IpFamily
    /** `universe` is what others reach the link by. */
    readonly scope?: Exclude<Address['scope'], number>
  }): Promise<Address[]>
  addAddress(link: LinkRef, cidr: string): Promise<{ added: boolean }>
  addAddress(address: NewAddress): Promise<{ added: boolean }>
  deleteAddress(link: LinkRef, cidr: string): Promise<{ deleted: boolean }>
  deleteAddress(address: NewAddress): Promise<{ deleted: boolean }>
  getRoutes(filter?: { readonly family?: IpFamily; readonly table?: number; readonly link?: LinkRef }): Promise<Route[]>
  addRoute(route: NewRoute): Promise<{ added: boolean }>
  /** Instead of the route to the same destination with the same metric. */
  replaceRoute(route: NewRoute): Promise<void>
  /** What is not said about the route matches anything; one is deleted. */
  deleteRoute(route: NewRoute): Promise<{ deleted: boolean }>
  getNeighbours(filter?: {
    readonly link?: LinkRef
    readonly family?: IpFamily
    /** Those that the kernel answers for; default: those it asks. */
    readonly proxy?: boolean
  }): Promise<Neighbour[]>
  addNeighbour(
    neighbour: OnLink & {
      readonly address: string
      /** Missing only of an entry that the kernel answers for. */
      readonly mac?: string | undefined
      /** Default: `permanent`. */
      readonly state?: Neighbour['state'] | undefined
      readonly proxy?: boolean | undefined
      readonly router?: boolean | undefined
    },
  ): Promise<{ added: boolean }>
  /** Instead of the entry for the same address. */
  replaceNeighbour(neighbour: Parameters<RtnlPort['addNeighbour']>[0]): Promise<void>
  deleteNeighbour(neighbour: Parameters<RtnlPort['addNeighbour']>[0]): Promise<{ deleted: boolean }>
  /** Of the ports of bridges, and of bridges. */
  getBridgeVlans(filter?: { readonly link?: LinkRef }): Promise<
    {
      readonly linkIndex: number
      /** 1 to 4094. */
      readonly vid: number
      /** Untagged frames that come in belong to it. */
      readonly pvid: boolean
      /** Its frames go out untagged. */
      readonly untagged: boolean
    }[]
  >
  addBridgeVlan(
    vlan: OnLink & {
      readonly vid: number
      /** The last one of several. Default: `vid`. */
      readonly lastVid?: number | undefined
      /** Default: false. */
      readonly pvid?: boolean | undefined
      /** Default: false. */
      readonly untagged?: boolean | undefined
    },
  ): Promise<{ added: boolean }>
  deleteBridgeVlan(vlan: Parameters<RtnlPort['addBridgeVlan']>[0]): Promise<{ deleted: boolean }>
  getQdiscs(filter?: { readonly link?: LinkRef }): Promise<Qdisc[]>
  addQdisc(
    qdisc:
      | Qdisc
      | (OnLink &
          (
            | {
                readonly kind: 'tbf'
                readonly tbf: NonNullable<Qdisc['tbf']>
                /** Default: `root`. */
                readonly parent?: string | undefined
                /** Default: the kernel's choice. */
                readonly handle?: string | undefined
              }
            | { readonly kind: 'ingress' | 'clsact' }
          )),
  ): Promise<{ added: boolean }>
  /** Instead of the one that is there; of the same kind, its options are changed. */
  replaceQdisc(qdisc: Parameters<RtnlPort['addQdisc']>[0]): Promise<void>
  /** Default of `parent`: `root`, or `ingress` for the kinds `ingress` and `clsact`. */
  deleteQdisc(
    qdisc: OnLink & {
      readonly kind?: string | undefined
      readonly parent?: string | undefined
    },
  ): Promise<{ deleted: boolean }>
  /** What comes in on a link and leaves by another one instead. */
  getRedirects(filter?: { readonly link?: LinkRef }): Promise<
    {
      readonly linkIndex: number
      /** Index of the link it leaves by. */
      readonly to: number
      /** Lower is earlier. */
      readonly priority: number
    }[]
  >
  /** The link needs the qdisc `ingress` or `clsact`. */
  addRedirect(
    redirect: OnLink & {
      readonly to: LinkRef
      /** Default: 1. */
      readonly priority?: number | undefined
    },
  ): Promise<{ added: boolean }>
  deleteRedirect(redirect: Parameters<RtnlPort['addRedirect']>[0]): Promise<{ deleted: boolean }>
  /** Of qdiscs `clsact` and `ingress`, whoever added them. */
  getFilters(filter?: { readonly link?: LinkRef; readonly direction?: Filter['direction'] }): Promise<Filter[]>
  /** Puts a loaded eBPF program on a link that has the qdisc `clsact`; its answer decides (direct action). */
  addFilter(
    filter: OnLink & {
      readonly direction: Filter['direction']
      /** Default: 1. */
      readonly priority?: number | undefined
      /** Default: 1. */
      readonly handle?: number | undefined
      /** Its descriptor, which may be closed afterwards. */
      readonly program: number
      /** What others see in `tc filter show`, at most 255 bytes. */
      readonly name: string
    },
  ): Promise<{ added: boolean }>
  /** Instead of the one with the same priority and handle, between two packets. An undo step brings none back. */
  replaceFilter(filter: Parameters<RtnlPort['addFilter']>[0]): Promise<void>
  /** No undo step brings it back: nothing would hold its program. */
  deleteFilter(
    filter: OnLink & {
      readonly direction: Filter['direction']
      /** Default: 1. */
      readonly priority?: number | undefined
      /** Default: 1. */
      readonly handle?: number | undefined
      /** Default: `bpf`. One of another kind is left there, as is one with another name or program, where they are said. */
      readonly kind?: string | undefined
      readonly name?: string | undefined
      readonly program?: { readonly id: number } | undefined
    },
  ): Promise<{ deleted: boolean }>
  getRules(
    filter?:
      | {
          readonly family?: IpFamily
          readonly table?: number
        }
      | IpFamily,
  ): Promise<PolicyRule[]>
  addRule(rule: NewPolicyRule): Promise<{ added: boolean }>
  /** Deletes exactly that rule, of any priority when none is given. */
  deleteRule(rule: NewPolicyRule): Promise<{ deleted: boolean }>
}

/** An {@link RtnlPort} with what it holds open. */
export interface Rtnl extends RtnlPort, Disposable {
  /** A second call does nothing. */
  close(): void
}

/** `(link, cidr)` or an address as one object. */
export function addressOf(first: LinkRef | NewAddress, cidr: string | undefined): NewAddress {
  if (typeof first === 'object' && 'cidr' in first) return first
  return { link: first, cidr: cidr ?? '' }
}
