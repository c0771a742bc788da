/** Which requests no server of the project answers. */
package io.indexview.schemas.http;
