/** Listings of buckets: what they find that was not told, and how complete a source is. */
package io.indexview.connect.s3.listing;
