export interface Unused { a: 1 }
