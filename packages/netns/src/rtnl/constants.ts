export const RTM_NEWLINK = 16
export const RTM_DELLINK = 17
export const RTM_GETLINK = 18
export const RTM_NEWADDR = 20
export const RTM_DELADDR = 21
export const RTM_GETADDR = 22
export const RTM_NEWROUTE = 24
export const RTM_DELROUTE = 25
export const RTM_GETROUTE = 26
export const RTM_NEWRULE = 32
export const RTM_DELRULE = 33
export const RTM_GETRULE = 34

export const AF_INET = 2
export const AF_INET6 = 10

export const RT_TABLE_MAIN = 254
export const RT_TABLE_LOCAL = 255

export const RTM_SETLINK = 19
export const RTM_NEWNEIGH = 28
export const RTM_DELNEIGH = 29
export const RTM_GETNEIGH = 30
export const RTM_NEWQDISC = 36
export const RTM_DELQDISC = 37
export const RTM_GETQDISC = 38
export const RTM_NEWTFILTER = 44
export const RTM_DELTFILTER = 45
export const RTM_GETTFILTER = 46

export const AF_BRIDGE = 7
