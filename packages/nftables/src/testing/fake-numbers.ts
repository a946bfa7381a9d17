/** Numbers of nf_tables, separate from the encoder's numbers, because tests can then find wrong numbers. */
export const NFT_MSG = {
  ...{
    NEWTABLE: 0,
    GETTABLE: 1,
    DELTABLE: 2,
    NEWCHAIN: 3,
    GETCHAIN: 4,
    DELCHAIN: 5,
    NEWRULE: 6,
    GETRULE: 7,
    DELRULE: 8,
  },
  ...{ NEWSET: 9, GETSET: 10, DELSET: 11, NEWSETELEM: 12, GETSETELEM: 13, DELSETELEM: 14, DESTROYTABLE: 26 },
  ...{ NEWOBJ: 18, GETOBJ: 19, NEWFLOWTABLE: 22, GETFLOWTABLE: 23 },
} as const

export const NFTA_TABLE = { NAME: 1, FLAGS: 2, USE: 3, HANDLE: 4, USERDATA: 6 } as const
export const NFTA_HOOK = { NUMBER: 1, PRIORITY: 2 } as const
export const NFTA_CHAIN = {
  ...{ TABLE: 1, HANDLE: 2, NAME: 3, HOOK: 4, POLICY: 5, USE: 6, TYPE: 7, FLAGS: 10, USERDATA: 12 },
} as const
export const NFTA_RULE = {
  ...{ TABLE: 1, CHAIN: 2, HANDLE: 3, EXPRESSIONS: 4, POSITION: 6, USERDATA: 7, ID: 9, POSITION_ID: 10 },
} as const
export const NFTA_SET = {
  ...{ TABLE: 1, NAME: 2, FLAGS: 3, KEY_TYPE: 4, KEY_LENGTH: 5, DATA_TYPE: 6, DATA_LENGTH: 7, DESCRIPTION: 9, ID: 10 },
  ...{ TIMEOUT: 11, USERDATA: 13, HANDLE: 16 },
} as const
export const NFTA_DESCRIPTION = { SIZE: 1 } as const
export const NFTA_ELEMENTS = { TABLE: 1, SET: 2, ELEMENTS: 3, SET_ID: 4 } as const
export const NFTA_ELEMENT = { KEY: 1, DATA: 2, FLAGS: 3, KEY_END: 10 } as const
export const NFTA_GEN = { ID: 1, PID: 2, PROCESS: 3 } as const
