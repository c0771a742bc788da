/** The bucket itself: reading one object, listing all of them. */
package io.indexview.connect.s3.object;
