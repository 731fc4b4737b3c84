// Written by scripts/write_tables.py: do not edit.

/** SHA-256 of the tables by text that stela-learned ships. */
export const SHIPPED_TABLES = ["2ad2de48833417491af17e8b324c0afb03c7fb4ceb41c33e9ce5d0574b7285a1", "72ffcea1d75fd9546ab20c89b16ad436b6a1fc3ef5f40b49096833463fba31a3", "b71195336373fc0c1560ec79e00f27940802e12b187217311830ddcab0067f69", "b716097afc4417f3d85266d507ebf1e9bdc5b3eeef74b3194d39ca2fef904ffe", "dd3b07a2ab91a1578c3494f64e7779e0c30c972fb79e740c16c12645964b698b", "ffa2e18634f253a19703f76c3f6d914d23a910251e14fde88577f3dc79ad227a"];
