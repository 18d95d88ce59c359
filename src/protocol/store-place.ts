// Where the store of a gateway is.

export type StorePlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'postgres';
      /** It may hold a password, so it is never shown. */
      readonly url: string;
      /** The schema that the tables are in; by default `atrium`. */
      readonly schema?: string | undefined;
      /** The name of this gateway among those that share the store. */
      readonly node: string;
    };
