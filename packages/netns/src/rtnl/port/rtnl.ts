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
 * Links, addresses, routes, rules, neighbours, qdiscs and filters of one namespace. Take this interface as a parameter,
 * so that tests can pass `fakeRtnl()`.
 *
 * - Adding an existing object and deleting a missing one are not errors: `added` or `deleted` is false.
 * - Adding an object that exists with other values throws `EEXIST`.
 * - The add and delete methods accept objects read from the kernel.
 * - Errors are `NetnsError` with the errno name, or `INVALID` for invalid arguments.
 * - A failed call leaves no partial change.
 */
export interface RtnlPort {
  getLinks(): Promise<Link[]>
  /** Returns the link with a name or index, or `undefined` if the link does not exist. */
  getLink(link: LinkRef): Promise<Link | undefined>
  /**
   * Creates again a link that `getLink` returned earlier. Give the `peer` of a veth, because the kernel does not report
   * the peer's name.
   */
  addLink(
    link: Link & {
      readonly peer?: Extract<NewLink, { readonly kind: 'veth' }>['peer'] | undefined
      readonly netns?: Netns | undefined
    },
  ): Promise<{ added: boolean }>
  addLink(link: NewLink): Promise<{ added: boolean }>
  /**
   * Changes a link, and rolls back if a part of the change fails. The member `before` of the result is the link before
   * the change.
   */
  setLink(
    link: LinkRef,
    change: {
      /** New name of the link. Before Linux 6.2 only a link that is down can be renamed. */
      readonly name?: string | undefined
      /** Bridge or bond that gets the link as a port. `null` removes the link from its master. */
      readonly master?: LinkRef | null | undefined
      readonly mtu?: number | undefined
      readonly mac?: string | undefined
      /**
       * Namespace to move the link to. The move removes the link's addresses and routes, and sets the link down. `up:
       * true` in the same change sets the link up after the move.
       */
      readonly netns?: NetnsTarget | undefined
      readonly txqlen?: number | undefined
      readonly up?: boolean | undefined
      readonly promisc?: boolean | undefined
      readonly allmulti?: boolean | undefined
      readonly alias?: string | undefined
      /** Bridge options to change, if the link is a bridge. */
      readonly bridge?: Link['bridge']
      /**
       * VXLAN options to change, if the link is a VXLAN: only the remote address. Connections through the tunnel
       * continue.
       */
      readonly vxlan?: { /** New remote IP address; its family cannot change. */ readonly remote: string } | undefined
      /** GENEVE options to change: only the remote address. Connections through the tunnel continue. */
      readonly geneve?: { /** New remote IP address; its family cannot change. */ readonly remote: string } | undefined
      /** Options of a bridge port to change. `master` in the same change can make the link a port. */
      readonly bridgePort?: Link['bridgePort']
    },
  ): Promise<{ changed: boolean; before: Link }>
  deleteLink(link: LinkRef): Promise<{ deleted: boolean }>
  setLinkUp(link: LinkRef): Promise<void>
  setLinkDown(link: LinkRef): Promise<void>
  getAddresses(filter?: {
    readonly link?: LinkRef
    readonly family?: IpFamily
    /** Scope of the IP addresses to list. `universe` selects the addresses that other hosts can reach. */
    readonly scope?: Exclude<Address['scope'], number>
  }): Promise<Address[]>
  addAddress(link: LinkRef, cidr: string): Promise<{ added: boolean }>
  addAddress(address: NewAddress): Promise<{ added: boolean }>
  deleteAddress(link: LinkRef, cidr: string): Promise<{ deleted: boolean }>
  deleteAddress(address: NewAddress): Promise<{ deleted: boolean }>
  getRoutes(filter?: { readonly family?: IpFamily; readonly table?: number; readonly link?: LinkRef }): Promise<Route[]>
  addRoute(route: NewRoute): Promise<{ added: boolean }>
  /** Adds a route, or replaces the existing route with the same destination and metric. */
  replaceRoute(route: NewRoute): Promise<void>
  /** Deletes one route. Members that the argument omits match every value. */
  deleteRoute(route: NewRoute): Promise<{ deleted: boolean }>
  getNeighbours(filter?: {
    readonly link?: LinkRef
    readonly family?: IpFamily
    /**
     * True to list the entries for proxy ARP and proxy NDP. Default: false, which lists the ordinary neighbour entries.
     */
    readonly proxy?: boolean
  }): Promise<Neighbour[]>
  addNeighbour(
    neighbour: OnLink & {
      readonly address: string
      /** MAC address of the neighbour. May be omitted only for a proxy entry. */
      readonly mac?: string | undefined
      /** State of the new neighbour entry. Default: `permanent`. */
      readonly state?: Neighbour['state'] | undefined
      readonly proxy?: boolean | undefined
      readonly router?: boolean | undefined
    },
  ): Promise<{ added: boolean }>
  /** Adds a neighbour (ARP, NDP) entry, or replaces the existing entry for the same address. */
  replaceNeighbour(neighbour: Parameters<RtnlPort['addNeighbour']>[0]): Promise<void>
  deleteNeighbour(neighbour: Parameters<RtnlPort['addNeighbour']>[0]): Promise<{ deleted: boolean }>
  /** Lists the VLANs of bridges and of their ports. */
  getBridgeVlans(filter?: { readonly link?: LinkRef }): Promise<
    {
      readonly linkIndex: number
      /** VLAN identifier, 1 to 4094. */
      readonly vid: number
      /** True if the port assigns arriving untagged frames to this VLAN (PVID). */
      readonly pvid: boolean
      /** True if frames of this VLAN leave the port untagged. */
      readonly untagged: boolean
    }[]
  >
  addBridgeVlan(
    vlan: OnLink & {
      readonly vid: number
      /** Last VLAN identifier of a range to add. Default: `vid`. */
      readonly lastVid?: number | undefined
      /** True to assign arriving untagged frames to the new VLAN. Default: false. */
      readonly pvid?: boolean | undefined
      /** True to let frames of the new VLAN leave untagged. Default: false. */
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
                /** Parent of the new qdisc. Default: `root`. */
                readonly parent?: string | undefined
                /** Handle of the new qdisc. Default: the kernel chooses a handle. */
                readonly handle?: string | undefined
              }
            | { readonly kind: 'ingress' | 'clsact' }
          )),
  ): Promise<{ added: boolean }>
  /**
   * Adds a qdisc, or replaces the one at the same parent. If the existing qdisc has the same kind, changes only its
   * options.
   */
  replaceQdisc(qdisc: Parameters<RtnlPort['addQdisc']>[0]): Promise<void>
  /** Deletes a qdisc. Default of `parent`: `ingress` for the kinds `ingress` and `clsact`, otherwise `root`. */
  deleteQdisc(
    qdisc: OnLink & {
      readonly kind?: string | undefined
      readonly parent?: string | undefined
    },
  ): Promise<{ deleted: boolean }>
  /** Lists redirections (tc mirred): packets that arrive on one link leave through another link. */
  getRedirects(filter?: { readonly link?: LinkRef }): Promise<
    {
      readonly linkIndex: number
      /** Index of the link through which the redirected packets leave. */
      readonly to: number
      /** Priority of the redirection. Lower priorities run first. */
      readonly priority: number
    }[]
  >
  /** Redirects all packets that arrive on a link. The link needs the qdisc `ingress` or `clsact`. */
  addRedirect(
    redirect: OnLink & {
      readonly to: LinkRef
      /** Default: 1. */
      readonly priority?: number | undefined
    },
  ): Promise<{ added: boolean }>
  deleteRedirect(redirect: Parameters<RtnlPort['addRedirect']>[0]): Promise<{ deleted: boolean }>
  /** Lists the traffic filters (tc) of the qdiscs `clsact` and `ingress`, also filters that other programs added. */
  getFilters(filter?: { readonly link?: LinkRef; readonly direction?: Filter['direction'] }): Promise<Filter[]>
  /**
   * Attaches a loaded eBPF program to a link with the qdisc `clsact`. The program's return value decides what happens
   * to a packet (direct action).
   */
  addFilter(
    filter: OnLink & {
      readonly direction: Filter['direction']
      /** Default: 1. */
      readonly priority?: number | undefined
      /** Default: 1. */
      readonly handle?: number | undefined
      /** Descriptor of the loaded eBPF program. The caller may close it after the call. */
      readonly program: number
      /** Name of the filter in the output of `tc filter show`, at most 255 bytes. */
      readonly name: string
    },
  ): Promise<{ added: boolean }>
  /**
   * Adds or replaces a traffic filter in one step. Replaces the filter with the same priority and handle. The undo step
   * does not restore the replaced filter.
   */
  replaceFilter(filter: Parameters<RtnlPort['addFilter']>[0]): Promise<void>
  /** Deletes a traffic filter. Registers no undo step, because the kernel then frees the eBPF program. */
  deleteFilter(
    filter: OnLink & {
      readonly direction: Filter['direction']
      /** Default: 1. */
      readonly priority?: number | undefined
      /** Default: 1. */
      readonly handle?: number | undefined
      /**
       * Kind of the filter to delete. Default: `bpf`. A filter of another kind stays. A given `name` or `program` must
       * match too.
       */
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
  /**
   * Deletes the policy routing rule with exactly the given members. Without `priority`, a rule of any priority matches.
   */
  deleteRule(rule: NewPolicyRule): Promise<{ deleted: boolean }>
}

/** {@link RtnlPort} that owns an open rtnetlink socket. */
export interface Rtnl extends RtnlPort, Disposable {
  /** Closes the rtnetlink socket. A second call does nothing. */
  close(): void
}

/** Converts the arguments of `addAddress` to one object. Callers give `(link, cidr)` or an address object. */
export function addressOf(first: LinkRef | NewAddress, cidr: string | undefined): NewAddress {
  if (typeof first === 'object' && 'cidr' in first) return first
  return { link: first, cidr: cidr ?? '' }
}
