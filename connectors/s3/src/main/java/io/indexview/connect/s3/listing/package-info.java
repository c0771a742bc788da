/** Listings of buckets: what they find that no event named, and how complete a source is. */
package io.indexview.connect.s3.listing;
