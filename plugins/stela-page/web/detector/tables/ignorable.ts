// Written by scripts/write_tables.py: do not edit.

/** Default_Ignorable_Code_Point of Unicode. */
export const IGNORABLE = "4t,iq,jx,283.1,190.1,2e.4,1ks.4,r.4,1e.f,3cl,14f0.f,6o,4h,28.8,119k.3,440.7,h406.35r";
