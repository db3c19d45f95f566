/** */
export const house = {} as const;
